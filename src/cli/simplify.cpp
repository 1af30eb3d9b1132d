// heddle simplify: shrink a saved schedule.
#include <fmt/format.h>

#include "cli/pipeline.h"
#include "cli/session.h"

namespace heddle {

namespace {

struct Options {
  std::string bug;
  SimplifyChoice choice;
  unsigned jobs = 0;
  std::string carrier;
  bool json = false;
};

int run(const Session& session, const Options& options) {
  session.no_program("simplify");
  catch_interrupts();
  Reopened r = reopen(options.bug, options.carrier, options.jobs);
  const Trace failing = BugStore().load_trace(r.bug, kFailingTrace);
  const Confirmation confirmation = r.campaign->confirm(failing, 1);
  if (!confirmation.believed) throw Error(fmt::format("the saved schedule no longer replays: {}", confirmation.why_not));
  Progress progress(options.json);
  const Simplified simplified = simplify_failure(*r.campaign, failing, options.choice, progress);
  save_simplified(r.bug, simplified);
  const SimplifyResult& result = simplified.result;
  const Counts before = failing.counts();
  const Counts after = result.best.counts();
  if (options.json) {
    Json document = {{"verdict", "failure"}};
    document["failure"] = json_failure(result.best);
    document["found"] = json_counts(before, true);
    document["simplify"] = json_simplify(result);
    Json operations = Json::array();
    for (const OperationCount& o : result.operations) {
      operations.push_back({{"name", o.name}, {"tried", o.tried}, {"accepted", o.accepted}, {"switches_removed", o.switches_removed}});
    }
    document["simplify"]["operations"] = operations;
    document["simplified"] = json_counts(after, true);
    document["bug"] = BugStore::shown(r.bug.id);
    print_json(document);
  } else {
    fmt::print("BUG {}  {} -> {} switches, {} -> {} preemptions in {} runs, {:.2f} s · minimal: {}{}{}\n", r.bug.id, before.switches,
               after.switches, before.preemptions, after.preemptions, result.executions, result.seconds, result.minimal,
               result.certificate.empty() ? "" : ", ", result.certificate);
    fmt::print("NEXT   heddle explain {} · heddle replay {}\n", r.bug.id, r.bug.id);
  }
  return stop_flag() ? exit_value(ExitCode::kInterrupted) : 0;
}

}  // namespace

void add_simplify(CLI::App& app, Session& session) {
  Verb verb(app, "simplify", "shrink a saved schedule to the switches that matter");
  auto options = std::make_shared<Options>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  options->choice.add_to(verb);
  verb.number("--jobs,-j", options->jobs, "workers [one for each core]");
  verb.one_of("--carrier", options->carrier, kCarriers, "[as found]");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

}  // namespace heddle
