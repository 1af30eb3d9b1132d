// heddle run: one controlled run, transparent. The program's streams and exit code are its own.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "cli/campaign.h"
#include "cli/pipeline.h"
#include "cli/plain.h"
#include "cli/plan_options.h"
#include "cli/print.h"
#include "cli/session.h"
#include "exec/runner.h"
#include "store/store.h"
#include "symbols/own_locks.h"
#include "symbols/symbols.h"
#include "trace/enabled.h"
#include "trace/hash.h"
#include "trace/model_check.h"
#include "trace/races.h"
#include "wire/disabled_hooks.h"
#include "wire/ready_log.h"

namespace heddle::cli {

namespace {

struct RunArguments {
  PlanOptions plan;
  std::string carrier = "fiber";
  std::string save;
  bool statistics = false;
  bool races = false;
  bool check_model = false;
  bool real_time = false;
};

void say_races(const Trace& trace) {
  RaceLog log;
  log.add(trace);
  std::vector<std::string> paths;
  for (const Module& m : trace.modules()) paths.push_back(m.path);
  const Symbols symbols(paths);
  for (const RaceReport& r : log.report(symbols, {})) {
    print_err("heddle: {} on {}: {} and {}\n", r.confirmed ? "race" : "possible race", r.object, r.first.place, r.second.place);
  }
}

// Events before which more than one thread was known to be able to go on.
size_t choices_in(const Trace& trace) {
  size_t choices = 0;
  for (EnabledWalk walk(trace); !walk.done(); walk.advance()) {
    const std::vector<PendingOperation> pending_operations = walk.pending_operations();
    choices += std::count_if(pending_operations.begin(), pending_operations.end(),
                             [](const PendingOperation& s) { return s.ready == Ready::kYes; }) > 1
                   ? 1
                   : 0;
  }
  return choices;
}

// Does the model agree with what the runtime thought of every thread at every event?
bool say_model(const Trace& trace) {
  const ModelCheck check = check_model(trace);
  for (const std::string& difference : check.differences) print_err("heddle: {}\n", difference);
  print_err("heddle: model: {} events, {} answers compared, {} different, {} not known\n", check.events, check.compared, check.different,
            check.unknown);
  return check.different == 0;
}

int run_once(const Session& session, const RunArguments& options) {
  const Target target = Target::resolve(session.program());
  Plan plan = options.plan.plan();
  // One run is not profiled: without a word from the user every atomic operation of an instrumented program is a point.
  if (!options.plan.points()) plan.points = PointKind::kAtomics;
  plan.detect |= options.races ? uint32_t{kDetectRaces} : kRewriteHot;
  if (options.real_time) plan.time = TimeKind::kReal;
  if (options.check_model) plan.detect = kDetectReady;
  // Nobody is kept waiting but the person who started it, and an ordinary program may run for days.
  if (!options.plan.events_given()) plan.limits.events = ~uint64_t{0};
  // A terminal's Ctrl-C goes to the program; the tool lives on to say how it ended.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  const PlainRun result = run_plainly(
      target, runtime_library(), carrier_named(options.carrier), plan, nullptr,
      [&](const Outcome&) { return options.statistics || options.check_model || !options.save.empty(); },
      options.plan.watchdog_given() ? Computing::kWatched : Computing::kFree);
  say_how_it_ended(result);
  if (options.races) say_races(result.trace);
  if (!options.save.empty()) save_trace(result.trace, options.save);
  if (options.statistics) {
    const Counts c = result.trace.counts();
    // Two runs with the same sum executed the same events.
    const auto& events = result.trace.events();
    print_err("heddle: {} events, {} with a choice of threads, {} threads, {} switches, {} preemptions, sum {:016x}\n", c.events,
              choices_in(result.trace), c.threads, c.switches, c.preemptions, hash_bytes(events.data(), events.size() * sizeof(Event)));
    if (const std::string words = words_about(find_own_locks(module_paths(result.trace))); c.threads > 1 && !words.empty())
      print_err("heddle: note: {}\n", words);
    for (const Note& note : result.trace.notes()) print_err("heddle: note: {} ({} times)\n", note.text, note.count);
  }
  if (options.check_model && !say_model(result.trace)) return exit_value(ExitCode::kCannotTest);
  return exit_code_of(result);
}

}  // namespace

int exit_code_of(const PlainRun& run) {
  const Outcome& outcome = run.trace.outcome();
  switch (outcome.kind) {
    case OutcomeKind::kDeadlock:
    case OutcomeKind::kLivelock:
    case OutcomeKind::kMisuse: return exit_value(ExitCode::kFailure);
    case OutcomeKind::kExternalWait:
    case OutcomeKind::kCannotControl:
    case OutcomeKind::kDiverged:
    case OutcomeKind::kLimit: return exit_value(ExitCode::kCannotTest);
    case OutcomeKind::kUnknown:
    case OutcomeKind::kExit:
    case OutcomeKind::kSignal:
    case OutcomeKind::kAbort:
    case OutcomeKind::kAssert:
    case OutcomeKind::kException:
    case OutcomeKind::kOutput: break;
  }
  if (WIFSIGNALED(run.wait_status)) return 128 + WTERMSIG(run.wait_status);
  return WEXITSTATUS(run.wait_status);
}

void say_how_it_ended(const PlainRun& run) {
  for (const std::string& note : run.notes) print_err("heddle: {}\n", note);
  const Outcome& outcome = run.trace.outcome();
  const bool ours = is_inconclusive(outcome) || outcome.kind == OutcomeKind::kDeadlock || outcome.kind == OutcomeKind::kLivelock ||
                    outcome.kind == OutcomeKind::kMisuse;
  if (ours) print_err("heddle: {}: {}\n", name(outcome.kind), outcome.message);
}

namespace {

void add_run(CLI::App& app, Session& session) {
  Verb verb(app, "run", "run the program once under control; streams and exit code are its own", TakesProgram::kYes);
  verb.exit_codes_of_the_program();
  auto options = std::make_shared<RunArguments>();
  options->plan.add_to(verb);
  verb.one_of("--carrier", options->carrier, kCarriers, "what program threads run on: fiber is fast, kernel suits debuggers");
  verb.text("--save", options->save, "keep the trace in this file", "FILE");
  verb.flag("--races", options->races, "watch for data races and name them on stderr; heddle races looks at many schedules");
  verb.flag("--check-model", options->check_model, "a check of Heddle itself: compare both models of what blocks at every event");
  verb.flag("--real-time", options->real_time, "the program sees the machine's clock, and waits as long as it does without heddle");
  verb.flag("--statistics", options->statistics, "say on stderr what was controlled");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_once(session, *options); }; });
}

constexpr VerbRow kRunVerb{20, add_run};
HEDDLE_ROW(verbs, kRunVerb);

}  // namespace

}  // namespace heddle::cli
