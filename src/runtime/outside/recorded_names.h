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
  const long result = recorded == -ENOENT ? recorded : ask();
  log_input(kMissingName, {}, replays ? recorded : result == -ENOENT ? result : 0);
  return result;
}

}  // namespace heddle::rt
