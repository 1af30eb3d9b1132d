#pragma once
// What came into a run from outside: the files it read, and what calls on descriptors of other processes gave it.
#include "wire/ids.h"
#include "wire/ops.h"

namespace heddle {

enum class InputKind : uint32_t { kFile = 1, kCall = 2, kRest = 3 };  // kRest: nothing, to the end of a ring

// One of them, in a byte arena: this record, then `size` bytes (kFile: the path; kCall: what the call wrote), padded to 8.
struct InputRecord {
  InputKind kind;
  uint32_t size;
  ThreadId thread;   // kCall: whose, and... kFile: hash of the path
  uint32_t ordinal;  // ...the number of this one among its calls that reached outside, from 0
  Op op;
  uint16_t spare;
  int64_t result;  // kCall: as the system call gave it. kFile: the file's size
  uint64_t stamp;  // kCall: the step from which it would not have blocked. kFile: the time of its last change, in ns
};
static_assert(sizeof(InputRecord) == 40);

constexpr uint64_t input_record_bytes(uint64_t size) { return sizeof(InputRecord) + ((size + 7) & ~uint64_t{7}); }

// In place of the thread, in records that are no answers to calls. They come after those of all threads.
inline constexpr ThreadId kBranchInputs = ~ThreadId{0} - 3;  // which process of the program it is about
inline constexpr ThreadId kClockInputs = ~ThreadId{0} - 2;   // how the clock moved
inline constexpr ThreadId kSetInputs = ~ThreadId{0} - 1;     // says that all waits for epoll sets are recorded
inline constexpr ThreadId kSignalInputs = ~ThreadId{0};      // a signal of another process
constexpr bool came_from_outside(ThreadId thread) { return thread != kBranchInputs && thread != kClockInputs; }

// The log of calls that a run is given: this block, `count` offsets of records from the block's start, sorted by (thread, ordinal), then
// the records.
struct ReplayedInputs {
  uint64_t count;  // 0: the world outside is asked
  uint64_t exact;  // the schedule is the recorded one: a call waits until its stamp. Otherwise it never waits
};

inline constexpr uint64_t kInputBytes = uint64_t{512} << 20;  // of each arena of calls; address space, memory only as far as it is used
inline constexpr uint64_t kFileBytes = uint64_t{4} << 20;     // of the arena of files

}  // namespace heddle
