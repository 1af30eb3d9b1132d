// heddle reduce: which threads does the bug need?
#include "simplify/reduce.h"

#include <fmt/format.h>

#include "cli/pipeline.h"
#include "cli/session.h"

namespace heddle {

namespace {

struct Options {
  std::string bug;
  double seconds = 60;
  unsigned jobs = 0;
  std::string carrier;
  bool json = false;
};

int run(const Session& session, const Options& options) {
  session.no_program("reduce");
  catch_interrupts();
  Reopened r = reopen(options.bug, options.carrier, options.jobs);
  const BugStore store;
  const Trace failing = store.load_trace(r.bug, store.has(r.bug, kSimplifiedTrace) ? kSimplifiedTrace : kFailingTrace);
  const Confirmation confirmation = r.campaign->confirm(failing, 1);
  if (!confirmation.believed) throw Error(fmt::format("the saved schedule no longer replays: {}", confirmation.why_not));
  Progress progress(options.json);
  const auto result = reduce_failure(*r.campaign, failing, options.seconds, progress);
  if (!result) throw Error("the reduced run does not replay, so nothing was removed");
  save_reduced(r.bug, *result);
  if (options.json) {
    Json document = {{"verdict", "failure"}};
    document["failure"] = json_failure(result->best);
    document["reduce"] = json_reduce(*result);
    document["reduced"] = json_counts(result->best.counts(), true);
    document["bug"] = BugStore::shown(r.bug.id);
    print_json(document);
  } else {
    fmt::print("BUG {}  {} -> {} threads, {} -> {} events in {} runs, {:.2f} s{}\n", r.bug.id, failing.counts().threads,
               result->best.counts().threads, failing.counts().events, result->best.counts().events, result->executions, result->seconds,
               result->sequential_bug ? "; it fails without any interleaving" : "");
  }
  return stop_flag() ? exit_value(ExitCode::kInterrupted) : 0;
}

}  // namespace

std::optional<ReduceResult> reduce_failure(Campaign& campaign, const Trace& failing, double seconds, Progress& progress) {
  ReduceOptions options;
  options.seconds = seconds;
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

void add_reduce(CLI::App& app, Session& session) {
  Verb verb(app, "reduce", "remove the threads that a saved bug does not need");
  auto options = std::make_shared<Options>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  verb.seconds("--time", options->seconds, "seconds to spend at most, 0 for no limit");
  verb.number("--jobs,-j", options->jobs, "workers, 0 for one on each core");
  verb.one_of("--carrier", options->carrier, kCarriers, "[as found]");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

}  // namespace heddle
