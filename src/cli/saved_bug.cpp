#include "cli/saved_bug.h"
#include "cli/reopen.h"

#include <fmt/format.h>

namespace heddle::cli {

void SavedBugOptions::add_to(Verb& verb, bool choose) {
  verb.positional("BUG", bug, "a saved bug [the latest]");
  verb.seconds("--time", seconds, "limit of seconds, 0 for none");
  verb.number("--executions", executions, "limit of runs, 0 for none");
  if (choose) verb.flag("--found", found, "start from the schedule as it was found, not as it was simplified");
  verb.number("--jobs,-j", jobs, "runs at a time, 0 for one per core");
  verb.one_of("--carrier", carrier, kCarriers, "[as found]");
  verb.flag("--json", json, "one JSON document on stdout and nothing else there");
}

const char* SavedBugOptions::trace_name(const Bug& saved) const {
  const bool whole = found || (recording && saved.strategy == "record");
  return !whole && BugStore().has(saved, kSimplifiedTrace) ? kSimplifiedTrace : kFailingTrace;
}

OpenedBug open_failing(const SavedBugOptions& options, const Session& session) {
  catch_interrupts();
  OpenedBug opened{reopen(options.bug, session, {.carrier = options.carrier, .jobs = options.jobs}), {}};
  opened.failing = BugStore().load_trace(opened.bug, options.trace_name(opened.bug));
  const Confirmation confirmation = opened.campaign->confirm(opened.failing, 1);
  if (!confirmation.believed) throw Error(fmt::format("the saved schedule no longer replays: {}", confirmation.why_not));
  return opened;
}

int exit_unless_interrupted(ExitCode code) { return exit_value(stop_flag() ? ExitCode::kInterrupted : code); }

}  // namespace heddle::cli
