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

inline bool keeps_names() { return active() && (replays_inputs() || (is_real_time() && g_run.control->mode == Mode::kOnce)); }

// `ask` returns what the kernel says of a path, -errno on failure.
template <typename Ask>
long ask_for_name(Ask ask) {
  if (!keeps_names()) return ask();
  long result = 0;
  if (replays_inputs() && take_input(kMissingName, {}, &result)) {
    log_input(kMissingName, {}, result);
    return result;
  }
  result = ask();
  if (result == -ENOENT) log_input(kMissingName, {}, result);
  return result;
}

}  // namespace heddle::rt
