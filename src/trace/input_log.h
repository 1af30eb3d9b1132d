#pragma once
// What came into a run from outside, as the tool keeps it: which files were read, and what other processes sent.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/input.h"

namespace heddle::trace {

struct InputFile {
  std::string path;
  uint64_t size = 0;
  uint64_t changed = 0;  // last change before the run, in ns
};

struct InputCall {
  ThreadId thread = kNoThread;
  uint32_t ordinal = 0;
  Op op = Op::kNone;
  int64_t result = 0;
  uint64_t stamp = 0;
  std::string bytes;  // and, where the stamp says so, the InputPeer

  // Who is at the other end; nothing: an earlier version recorded it, or it has no such end.
  std::optional<InputPeer> peer() const;
};

// What a replay says of a run with calls that the log does not hold.
inline constexpr const char* kInputLost = "more input came from outside than a recording holds";

struct InputLog {
  std::vector<InputFile> files;  // each path once
  std::vector<InputCall> calls;  // sorted by thread and ordinal
  uint64_t lost = 0;             // more came than the log holds
  bool by_peer = false;          // it is a part of a recording, named by peers: simplify/requests.h

  bool from_outside() const;  // has it more than how the clock moved?
  // Is it of a recording of the first process, and not of one that was forked?
  bool is_of_first_process() const;
};

// Adds what an arena of wire/input.h holds; whatever the target scribbled there, the result is well-formed.
void parse_inputs(const char* arena, uint64_t bytes, InputLog& log);
// The same in parts: as many as wanted, then once the order.
void add_inputs(const char* arena, uint64_t bytes, InputLog& log);
void sort_inputs(InputLog& log);
// The block that the runtime takes calls from. `exact`: they wait as they did.
std::string replay_block(const InputLog& log, bool exact);

// A file as it was: what a view shows at its path.
struct RecordedFile {
  std::string path;
  std::string bytes;
  uint64_t changed = 0;  // its last change, in ns; 0: not known
};

}  // namespace heddle::trace
