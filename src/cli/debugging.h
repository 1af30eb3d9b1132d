#pragma once
// From a believed failure to its story: simplified, reduced, isolated, its cause tested, all of it saved. What `debug` does after the search.
#include <optional>

#include "cli/campaign.h"
#include "cli/isolate.h"
#include "cli/pipeline.h"
#include "cli/progress.h"
#include "cli/reduce.h"
#include "cli/story.h"

namespace heddle::cli {

struct DebugOptions {
  SimplifyChoice simplify;
  bool no_reduce = false;
  bool no_isolate = false;
  bool no_slice = false;
  double request_seconds = 120;
  double reduce_seconds = 20;
  double isolate_seconds = 20;
  double cause_seconds = 15;
  uint64_t seed = 1;
};

struct Debugged {
  Simplified simplified;
  std::optional<ReduceResult> reduced;
  std::optional<ReductionRecord> reduction;
  std::optional<IsolateResult> isolated;
  LoadedStory loaded;
};

// Each result is saved as soon as it is there: Ctrl-C loses nothing.
Debugged debug_failure(Campaign& campaign, const DebugOptions& options, const Trace& failing, Bug& bug, Saving& saving, Progress& progress);

}  // namespace heddle::cli
