#pragma once
// heddle replay --from: the end of a recorded run, from a checkpoint on.
#include <optional>
#include <string>

#include "cli/checkpoints.h"
#include "cli/reopen.h"

namespace heddle::cli {

struct ReplaySpan {
  std::string from, to;  // as given; empty: from the start, to the end
  bool json = false;
};

// Of a trace that is whole, or begins at a checkpoint: runs from the last checkpoint before `from`, where there is none from the start; compares
// every event, and the output with `written`, which is what the whole run wrote. Returns the exit code.
int replay_span(Reopened& r, const Trace& saved, const ReplaySpan& span, const std::optional<Output>& written);

// The event that a moment means for a debugger: the number, or that of the last checkpoint before the time.
uint64_t event_at(const Bug& bug, const Moment& moment);

}  // namespace heddle::cli
