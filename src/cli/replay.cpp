// heddle replay: run a saved schedule again and say whether it is the same, event by event.
#include <fmt/format.h>

#include "cli/pipeline.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace heddle {

namespace {

struct Options {
  std::string bug;
  bool found = false;  // the schedule as it was found
  bool relaxed = false;
  unsigned repeat = 1;
  std::string carrier;
  bool json = false;
  bool fresh = false;
};

const char* trace_name(const Options& options, const Bug& bug, const BugStore& store) {
  return !options.found && store.has(bug, kSimplifiedTrace) ? kSimplifiedTrace : kFailingTrace;
}

int run(const Session& session, const Options& options) {
  session.no_program("replay");
  catch_interrupts();
  Reopened r = reopen(options.bug, options.carrier, 1, options.fresh);
  const BugStore store;
  const Trace saved = store.load_trace(r.bug, trace_name(options, r.bug, store));
  Plan plan = r.campaign->replay_plan(saved);
  if (options.relaxed) plan.strictness = Strictness::kRelaxed;

  std::string difference;
  std::string verdict = "failure";
  Trace last;
  Output output;
  unsigned runs = 0;
  bool identical = true;
  while (runs < options.repeat) {
    RunResult result = r.campaign->pool().run_now(plan);
    ++runs;
    last = result.trace;
    output = std::move(result.output);
    std::string why;
    if (first_difference(saved, last, &why) != kNoDifference) {
      identical = false;
      difference = last.outcome().kind == OutcomeKind::kDiverged ? last.outcome().message : why;
      if (!options.relaxed) {
        verdict = "diverged";
        break;
      }
    }
    if (is_inconclusive(last.outcome())) {
      verdict = "diverged";
      difference = describe_failure(last);
      break;
    }
    if (same_bug(saved, last)) continue;
    // Strict replays cannot get here with another failure unless the same events ended differently.
    verdict = r.campaign->fails(last) ? "diverged" : "passed";
    if (r.campaign->fails(last)) difference = fmt::format("another failure: {}", describe_failure(last));
    break;
  }
  print_notes(*r.campaign, nullptr);
  if (options.json) {
    const Counts c = last.counts();
    Json document = {{"verdict", verdict}};
    document["failure"] = json_failure(last);
    document["events"] = c.events;
    document["switches"] = c.switches;
    document["preemptions"] = c.preemptions;
    document["identical"] = identical;
    document["runs"] = runs;
    document["carrier"] = r.options.carrier;
    if (!difference.empty()) document["difference"] = difference;
    document["bug"] = BugStore::shown(r.bug.id);
    print_json(document);
  } else {
    fmt::print("{}{}", output.out, output.out.empty() || output.out.back() == '\n' ? "" : "\n");
    fmt::print(stderr, "{}{}", output.err, output.err.empty() || output.err.back() == '\n' ? "" : "\n");
    const Symbols symbols(module_paths(last));
    if (verdict == "failure") {
      fmt::print("BUG {}  reproduced{}: {}\n", r.bug.id,
                 runs > 1 ? fmt::format(" {} times, {}", runs, identical ? "identically" : "not identically") : "",
                 ending_sentence(last, symbols));
    } else if (verdict == "passed") {
      fmt::print("BUG {}  not reproduced: the program passed\n", r.bug.id);
    } else {
      fmt::print("BUG {}  diverged in run {}: {}\n", r.bug.id, runs, difference);
      if (r.bug.build_id != current_build_id(r.bug))
        fmt::print("the program was built anew since the bug was saved: heddle debug finds it again\n");
    }
  }
  if (verdict == "failure") return exit_value(ExitCode::kFailure);
  return exit_value(verdict == "passed" ? ExitCode::kNothing : ExitCode::kCannotTest);
}

}  // namespace

std::string current_build_id(const Bug& bug) {
  return Symbols({bug.program}).build_id(0);
}

void add_replay(CLI::App& app, Session& session) {
  Verb verb(app, "replay", "run a saved schedule again, exactly");
  auto options = std::make_shared<Options>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  verb.number("--repeat", options->repeat, "how often");
  verb.flag("--found", options->found, "the schedule as it was found, not the simplified one");
  verb.flag("--relaxed", options->relaxed, "go on where the program no longer follows the schedule");
  verb.one_of("--carrier", options->carrier, kCarriers, "[as found]");
  verb.flag("--no-snapshots", options->fresh, "start the program anew for each run");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

}  // namespace heddle
