// heddle simplify: shrink a saved schedule.
#include <fmt/format.h>

#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/saved_bug.h"

namespace heddle::cli {

namespace {

struct SimplifyArguments {
  SavedBugOptions saved;
  SimplifyChoice choice;
  bool resume = false;
};

int run_simplify(const Session& session, SimplifyArguments options) {
  // What was simplified before is the start only where the user wants to go on from there.
  options.saved.found = !options.resume;
  OpenedBug bug = open_failing(options.saved, session);
  const Trace failing = BugStore().load_trace(bug.bug, kFailingTrace);
  options.choice.seconds = options.saved.seconds;
  options.choice.executions = options.saved.executions;
  Progress progress(options.saved.json);
  const Simplified simplified = simplify_failure(*bug.campaign, failing, options.choice, progress, &bug.failing);
  save_simplified(bug.bug, *bug.campaign, simplified);
  const SimplifyResult& result = simplified.result;
  const Counts before = failing.counts();
  const Counts after = result.best.counts();
  if (options.saved.json) {
    Json document = {{"verdict", "failure"}};
    document["failure"] = json_failure(result.best);
    document["found"] = json_counts(before, true);
    document["simplify"] = json_simplify(simplified);
    document["simplified"] = json_counts(after, true);
    document["bug"] = BugStore::shown(bug.bug.id);
    print_json(document);
  } else {
    print_out("BUG {}  {} -> {} switches, {} -> {} preemptions in {} runs{}, {:.2f} s · minimal: {}{}{}\n", bug.bug.id, before.switches,
              after.switches, before.preemptions, after.preemptions, result.executions,
              result.certificate_executions > 0 ? fmt::format(" and {} for the proof", result.certificate_executions) : "", result.seconds,
              result.minimal, result.certificate.empty() ? "" : ", ", result.certificate);
    print_out("NEXT   heddle explain {} · heddle replay {}\n", bug.bug.id, bug.bug.id);
  }
  return exit_unless_interrupted(ExitCode::kNothing);
}

}  // namespace

namespace {

void add_simplify(CLI::App& app, Session& session) {
  Verb verb(app, "simplify", "shrink a saved schedule to the switches that matter", TakesProgram::kBesideBug);
  verb.exit_codes("done", "", "cannot be done");
  auto options = std::make_shared<SimplifyArguments>();
  options->saved.add_to(verb, false);
  options->choice.add_to(verb, true);
  verb.number("--suffix", options->choice.suffix,
              "simplify only this many intervals at the end of the schedule, 0 for all; --resume does the rest");
  verb.flag("--resume", options->resume, "continue where an earlier call stopped");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_simplify(session, *options); }; });
}

constexpr VerbRow kSimplifyVerb{70, add_simplify};
HEDDLE_ROW(verbs, kSimplifyVerb);

}  // namespace

}  // namespace heddle::cli
