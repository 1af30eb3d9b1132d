#pragma once
// How a run leaves checkpoints, and how a process becomes one. Both sides are in the channel.
//
// Leaving: the tool asks by a number; at its next point the run copies itself by a raw fork and goes on. The copy waits, and the tool reads its
// memory through /proc. Becoming: a new process of the program stops in its first constructor, the tool reads its memory map and writes a list
// of system calls behind the channel, which the process executes on a stack that lies beside them; then it jumps to the mark of the checkpoint.
#include <stdint.h>

#include "wire/rooms.h"

namespace heddle {

enum class CheckpointState : uint32_t { kNone = 0, kReady, kRefused };

struct CheckpointWords {
  uint32_t wanted;  // the tool adds 1 for each checkpoint that it wants
  uint32_t made;    // the run sets it to the `wanted` that it has answered, after everything below
  CheckpointState state;
  int32_t pid;        // of the copy; it dies when the tool says `taken`, or has gone
  uint32_t taken;     // futex: the last checkpoint whose copy the tool needs no more
  uint32_t pause_us;  // how long the run stood still for it
  uint64_t step;      // events before it
  uint64_t clock_ns;  // the run's virtual time
  uint64_t mark;      // address of its HeddleMark
  uint64_t fs_base;
  uint64_t program_break;
  char why[96];  // kRefused: a sentence
};

enum class RestoreState : uint32_t { kNone = 0, kWanted, kStopped, kGo, kDone, kGivenUp };

struct RestoreWords {
  RestoreState state;  // futex
  int32_t pid;         // of the process that has stopped
  int32_t descriptor;  // of the channel, in that process
  uint32_t spare;
  uint64_t at;      // where the process maps the script,
  uint64_t offset;  // which lies here in the channel's file,
  uint64_t bytes;
  uint64_t first_event;  // events before it are not in the table of events
};

// One system call of a script. One whose result is an error ends the process, unless it may fail.
struct ScriptCall {
  int64_t number;
  int64_t arguments[6];
  uint64_t may_fail;
};
// At the beginning of a script; the calls follow. The end of the script's memory is its stack.
struct Script {
  uint64_t count;
  uint64_t mark;  // where to go on
  uint64_t calls_at;
};
inline constexpr uint64_t kScriptStack = 64 << 10;

}  // namespace heddle
