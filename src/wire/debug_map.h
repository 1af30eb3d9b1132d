#pragma once
// What a debugger may know of a run that stands still: where the runtime keeps it, without its types. The runtime exports one of these
// under the name below; a debugger reads it once the runtime is loaded.
#include <stdint.h>

namespace heddle {

inline constexpr const char* kDebugMapSymbol = "heddle_debug_map";
// A function that is called at every switch between threads, with the record of the thread that goes on as its only argument.
inline constexpr const char* kDebugSwitchSymbol = "heddle_debug_switch";

struct DebugMap {
  uint32_t version;  // kChannelVersion
  // The live threads, in order of creation: `*live_count` entries, each with the number of a thread's record.
  uint32_t live_stride;
  uint32_t live_record;  // where in an entry the number is, 4 bytes
  // In a thread's record:
  uint32_t record_stride;
  uint32_t record_index;    // its row in the trace, 4 bytes
  uint32_t record_tid;      // of its kernel thread, 4 bytes
  uint32_t record_op;       // its next operation: an Op, 2 bytes
  uint32_t record_address;  // of what that operation is about, 8 bytes
  const void* live;
  const uint32_t* live_count;
  const void* records;
  const void* current;   // pointer to the record of the thread that runs
  const uint64_t* step;  // events executed
  // Of a thread on a fiber that does not run: its saved stack pointer, 8 bytes of its record. From there on lie a word, r15, r14, r13, r12, rbx, rbp and the
  // place to go on (runtime/base/context.S).
  uint32_t record_context;
  uint32_t* held;  // 4 bytes: a process that was made of a checkpoint waits while they are not 0
};

}  // namespace heddle
