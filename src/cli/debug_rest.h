#pragma once
// heddle debug of a recording whose beginning was not kept (record --keep).
#include "cli/reopen.h"
#include "trace/trace.h"

namespace heddle::cli {

struct RestOptions {
  bool all = false;  // show every event
  bool json = false;
};

// Replays it from its first checkpoint, exactly and as often as a failure must to be believed, and tells it as it was recorded: other schedules
// cannot be run from there (decision 32). Returns the exit code; throws Error where it did not fail, or does not replay.
int debug_rest(const Reopened& r, const Trace& failing, const RestOptions& options);

}  // namespace heddle::cli
