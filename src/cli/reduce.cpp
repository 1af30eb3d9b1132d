// heddle reduce: which threads does the bug need?
#include "cli/reduce.h"

#include <fmt/format.h>

#include "cli/print.h"
#include "cli/saved_bug.h"

namespace heddle::cli {

namespace {

int run(const Session& session, const SavedBugOptions& options) {
  OpenedBug bug = open_failing(options, session);
  Progress progress(options.json);
  const auto result = reduce_failure(*bug.campaign, bug.failing, options.seconds, progress, options.executions);
  if (!result) throw Error("the reduced run does not replay, so nothing was removed");
  save_reduced(bug.bug, *result);
  if (options.json) {
    Json document = {{"verdict", "failure"}};
    document["failure"] = json_failure(result->best);
    document["found"] = json_counts(bug.failing.counts(), true);
    document["reduce"] = json_reduce(*result);
    document["reduced"] = json_counts(result->best.counts(), true);
    document["bug"] = BugStore::shown(bug.bug.id);
    print_json(document);
  } else {
    print_out("BUG {}  {} -> {} threads, {} -> {} events in {} runs, {:.2f} s{}\n", bug.bug.id, bug.failing.counts().threads,
              result->best.counts().threads, bug.failing.counts().events, result->best.counts().events, result->executions, result->seconds,
              result->sequential_bug ? "; it fails without any interleaving" : "");
  }
  return exit_unless_interrupted(ExitCode::kNothing);
}

}  // namespace

std::optional<ReduceResult> reduce_failure(Campaign& campaign, const Trace& failing, double seconds, Progress& progress,
                                           uint64_t executions) {
  ReduceOptions options;
  options.seconds = seconds;
  options.max_executions = executions;
  options.stop = &stop_flag();
  options.limits.watchdog_ms = campaign.base().limits.watchdog_ms;
  options.progress = [&](const SimplifyProgress& p) {
    progress.show(fmt::format("reduce: {}, {} runs", describe_counts(p.counts), p.executions));
  };
  std::optional<ReduceResult> result;
  try {
    result = reduce(
        failing, [&](const Trace& trace) { return same_bug(failing, trace); }, campaign.pool(), options);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
  }
  progress.clear();
  if (result && !stop_flag() && !campaign.confirm(result->best).believed) result.reset();
  return result;
}

Json json_reduce(const ReduceResult& result) {
  return {{"executions", result.executions},  {"rounds", result.rounds},           {"seconds", result.seconds},
          {"removed", result.removed.size()}, {"one_minimal", result.one_minimal}, {"sequential_bug", result.sequential_bug}};
}

void save_reduced(Bug& bug, const ReduceResult& result) {
  const BugStore store;
  bug.was_reduced = true;
  bug.reduced = result.best.counts();
  store.save_trace(bug.id, kReducedTrace, result.best);
  store.save(bug);
}

namespace {

void add_reduce(CLI::App& app, Session& session) {
  Verb verb(app, "reduce", "remove the threads that a saved bug does not need", TakesProgram::kBesideBug);
  auto options = std::make_shared<SavedBugOptions>();
  options->add_to(verb);
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

constexpr VerbRow kReduceVerb{80, add_reduce};
HEDDLE_ROW(verbs, kReduceVerb);

}  // namespace

}  // namespace heddle::cli
