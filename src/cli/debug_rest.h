#pragma once
// heddle debug of a recording that can be had again from a checkpoint only: its beginning was not kept (record --keep), or does not replay.
#include "cli/reopen.h"
#include "trace/trace.h"

namespace heddle::cli {

struct RestOptions {
  bool all = false;  // show every event
  bool json = false;
  std::string start;  // why it is not run from its start; empty: that was not kept
};

// Replays it from the last checkpoint from which it fails again, exactly and as often as a failure must to be believed, and tells it as it was recorded:
// other schedules cannot be run from there (decision 32). Returns the exit code; throws Error where it did not fail, or replays from none.
int debug_rest(const Reopened& r, const Trace& failing, const RestOptions& options);

}  // namespace heddle::cli
