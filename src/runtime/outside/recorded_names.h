#pragma once
// What a recording says of names in the file system that the program asked for and that were not there: a replay finds them missing, too,
// whatever has been written there since. Only recordings keep it: a search asks the files that it has.
#include <errno.h>

#include "runtime/engine/clock.h"
#include "runtime/engine/run.h"
#include "runtime/outside/input_log.h"

namespace heddle::rt {

// In place of an operation, in records that belong to none.
inline constexpr Op kMissingName = Op::kNone;
inline constexpr Op kListing = Op::kFunctionEntry;
inline constexpr Op kSocketState = Op::kLoopIteration;
inline constexpr Op kKernelState = Op::kReleased;
inline constexpr Op kSocketName = Op::kThreadStart;    // what others call a socket that is bound
inline constexpr Op kOwnConnection = Op::kThreadExit;  // the connection that was just accepted is one of the program with itself
inline constexpr Op kTemporaryName = Op::kThreadJoin;  // of a temporary file, whether it could be made

inline bool keeps_names() { return active() && (replays_inputs() || (is_real_time() && g_run.control->mode == Mode::kOnce)); }

// `ask` returns what the kernel says of a path, -errno on failure. A recording has an answer for every name that was asked for, so that each finds
// its own; one that was there is asked for again, and the files of the recording are put back.
template <typename Ask>
long ask_for_name(Ask ask) {
  if (!keeps_names()) return ask();
  long recorded = 0;
  // Recordings from elsewhere and from before say nothing of names.
  const bool replays = replays_inputs();
  if (replays && !take_input(kMissingName, {}, &recorded)) return ask();
  // Under the recorded schedule it fails as it did, whatever the reason was.
  const bool fails_again = recorded == -ENOENT || (recorded < 0 && replays_exactly());
  const long result = fails_again ? recorded : ask();
  log_input(kMissingName, {}, replays ? recorded : result < 0 ? result : 0);
  return result;
}

// What the kernel says of a file, the machine or the process: sizes, times and numbers of files, loads, free memory. The recorded schedule sees what the
// recording saw; under another one the answer may be another, and is asked for.
template <typename Ask>
long ask_kernel(const Filled& filled, Ask ask) {
  if (!keeps_names()) return ask();
  const bool exact = replays_exactly();
  long result = 0;
  if (!replays_inputs()) {
    result = ask();
  } else if (!take_input(kKernelState, exact ? filled : Filled{nullptr, 0, 0, 1}, &result)) {
    return ask_for_name(ask);  // a recording from before says of names whether they were missing, and nothing else
  } else if (!exact && result != -ENOENT) {
    result = ask();
  }
  log_input(kKernelState, filled, result);
  return result;
}

// A call that changes something: made in a replay, too, and what the recording says of it counts. A directory that the recording made is there now.
template <typename Change>
long change_files(Change change) {
  if (!keeps_names()) return change();
  long recorded = 0;
  const long result = change();
  if (replays_inputs() && !take_input(kKernelState, {nullptr, 0, 0, 1}, &recorded)) return result;
  const long told = replays_exactly() ? recorded : result;
  log_input(kKernelState, {nullptr, 0, 0, 1}, told);
  return told;
}

}  // namespace heddle::rt
