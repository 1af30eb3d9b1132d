// heddle races: the data races of an instrumented program, with what was not seen.
#include <fmt/format.h>

#include <sstream>

#include "cli/blind_spots.h"
#include "cli/campaign.h"
#include "cli/points.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "store/atomic_file.h"
#include "symbols/instrumentation.h"
#include "symbols/symbols_names.h"
#include "trace/contentions.h"
#include "trace/lock_order.h"

namespace heddle::cli {

namespace {

constexpr size_t kContentionsShown = 10;

struct RacesArguments {
  PlanOptions plan;
  uint64_t executions = 50;
  std::string carrier = "fiber";
  std::string suppress;
  std::string suppressions;  // file
  bool confirmed_only = false;
  bool json = false;

  Suppressions patterns() const {
    Suppressions all = Suppressions::parse(suppressions.empty() ? std::string() : read_file(suppressions));
    std::istringstream words(suppress);
    for (std::string word; std::getline(words, word, ',');) all.add(word);
    return all;
  }
};

Json json_side(const RaceSideReport& side) {
  return {
      {"thread", side.thread},   {"operation", row(side.op).words}, {"size", side.size},   {"place", side.place}, {"file", side.frame.file},
      {"line", side.frame.line}, {"function", side.frame.function}, {"stack", side.stack}, {"locks", side.locks}};
}

void print_side(const char* when, const RaceSideReport& side) {
  std::string locks = side.locks.empty() ? "no lock held" : "holding";
  for (size_t i = 0; i < side.locks.size(); ++i) locks += (i == 0 ? " " : ", ") + side.locks[i];
  print_out("  {} thread {} {} {} bytes at {} ({})\n", when, side.thread, row(side.op).words, side.size, side.place, locks);
  for (const std::string& frame : side.stack) print_out("      {}\n", frame);
}

Json json_inversions(const std::vector<Inversion>& inversions) {
  Json list = Json::array();
  for (const Inversion& i : inversions) {
    Json steps = Json::array();
    for (const LockStep& s : i.steps)
      steps.push_back({{"thread", s.thread}, {"holds", s.held}, {"since", s.held_at}, {"wants", s.wanted}, {"at", s.wanted_at}});
    list.push_back({{"closable", i.closable}, {"why_not", i.why_not}, {"runs", i.runs}, {"steps", steps}});
  }
  return list;
}

void print_inversions(const std::vector<Inversion>& inversions) {
  for (const Inversion& i : inversions) {
    print_out("{}: locks are taken in opposite orders{}\n", i.closable ? "POSSIBLE DEADLOCK" : "LOCK ORDER",
              i.closable ? "; no run deadlocked, but a schedule could"
                         : fmt::format(", and no schedule of these runs closes the circle: {}", i.why_not));
    for (const LockStep& s : i.steps)
      print_out("  thread {} takes {} at {} and then {} at {}\n", s.thread, s.held, s.held_at, s.wanted, s.wanted_at);
  }
}

int run_races(const Session& session, const RacesArguments& options) {
  const Target target = Target::resolve(session.program());
  const Suppressions patterns = options.patterns();
  const Instrumentation built = build_of(target.program).instrumentation;
  if (built == Instrumentation::kStaticDetector)
    throw Error(fmt::format("{}: contains a race detector of its own, which nothing can replace: build it with heddle-cc",
                            target.arguments.front()));
  if (built == Instrumentation::kNone && !target.script)
    throw Error(fmt::format("{}: its memory accesses cannot be seen: build it with heddle-cc or heddle-c++", target.arguments.front()));
  catch_interrupts();
  RunnerOptions runner_options;
  runner_options.library = runtime_library();
  runner_options.carrier = carrier_named(options.carrier);
  runner_options.input = input_of_tool();
  runner_options.stop = &stop_flag();
  Runner runner(target, runner_options);
  Plan base = options.plan.plan();
  base.tail = PolicySpec{};
  base.input_id = runner_options.input->id();

  Progress progress(options.json);
  size_t runs = 0;
  size_t failing = 0;
  ContentionLog contentions;
  LockOrderLog orders;
  std::string inconclusive;
  const ProfileLimits limits{options.executions, options.executions};
  const PointSet set = profile_races(base, options.plan.seed(), limits, runner.as_function(), [&](const Trace& trace) {
    progress.show(fmt::format("{} runs", ++runs));
    contentions.add(trace);
    if (!is_failure(trace.outcome())) orders.add(trace);
    if (is_inconclusive(trace.outcome())) inconclusive = describe_failure(trace);
    failing += is_failure(trace.outcome()) ? 1 : 0;
    return !stop_flag();
  });
  progress.clear();

  std::vector<std::string> paths;
  for (const Module& m : set.last->modules()) paths.push_back(m.path);
  const Symbols symbols(paths);
  std::vector<RaceReport> races = set.races.report(symbols, patterns);
  if (options.confirmed_only) std::erase_if(races, [](const RaceReport& r) { return !r.confirmed; });
  const auto confirmed = static_cast<size_t>(std::count_if(races.begin(), races.end(), [](const RaceReport& r) { return r.confirmed; }));
  const std::vector<Contention> contended = contentions.report(symbols);
  const std::vector<Inversion> inversions = orders.report(symbols);
  const BlindSpots spots = blind_spots(*set.last, symbols, base, runner.as_function());

  if (options.json) {
    Json document = {
        {"confirmed", confirmed}, {"possible", races.size() - confirmed}, {"executions", set.executions}, {"races", Json::array()}};
    for (const RaceReport& r : races) {
      document["races"].push_back({{"kind", r.confirmed ? "confirmed" : "possible"},
                                   {"object", r.object},
                                   {"runs", r.runs},
                                   {"first", json_side(r.first)},
                                   {"second", json_side(r.second)}});
    }
    document["contentions"] = Json::array();
    for (const Contention& c : contended)
      document["contentions"].push_back(
          {{"lock", c.lock}, {"holder", c.holder}, {"waiter", c.waiter}, {"runs", c.runs}, {"count", c.count}});
    document["lock_orders"] = json_inversions(inversions);
    document["not_instrumented"] = spots.plain_modules;
    document["functions"] = {{"executed", spots.executed}, {"not_instrumented", spots.plain_functions}};
    document["warnings"] = spots.warnings;
    if (!inconclusive.empty()) document["inconclusive"] = inconclusive;
    document["failing_runs"] = failing;
    print_json(document);
  } else {
    for (const RaceReport& r : races) {
      print_out("{} on {}: {} and {}\n", r.confirmed ? "RACE" : "POSSIBLE RACE", r.object, r.first.place, r.second.place);
      print_side("first ", r.first);
      print_side("second", r.second);
    }
    print_inversions(inversions);
    for (size_t i = 0; i < contended.size() && i < kContentionsShown; ++i) {
      const Contention& c = contended[i];
      print_out("CONTENTION on {}: taken at {}, waited for at {} (in {} of {} runs)\n", c.lock, c.holder, c.waiter, c.runs, set.executions);
    }
    if (contended.size() > kContentionsShown)
      print_out("and {} more contentions: --json has them all\n", contended.size() - kContentionsShown);
    print_out("{} confirmed and {} possible races in {} runs\n", confirmed, races.size() - confirmed, set.executions);
    for (const std::string& module : spots.plain_modules) print_out("not instrumented: {}\n", base_name(module));
    if (!spots.plain_functions.empty()) {
      const size_t shown = std::min<size_t>(spots.plain_functions.size(), 5);
      print_out("{} of {} executed functions of the program are not instrumented: {}{}\n", spots.plain_functions.size(), spots.executed,
                fmt::join(spots.plain_functions.begin(), spots.plain_functions.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                shown < spots.plain_functions.size() ? "..." : "");
    }
    for (const std::string& warning : spots.warnings) print_out("warning: {}\n", warning);
    if (!inconclusive.empty()) print_out("some runs could not be watched to their end; the last: {}\n", inconclusive);
    if (failing > 0) print_out("{} of the runs failed: heddle debug -- {}\n", failing, fmt::join(target.arguments, " "));
  }
  if (stop_flag()) return exit_value(ExitCode::kInterrupted);
  return exit_value(confirmed > 0 ? ExitCode::kFailure : ExitCode::kNothing);
}

}  // namespace

namespace {

void add_races(CLI::App& app, Session& session) {
  Verb verb(app, "races", "data races of a program built with heddle-cc", TakesProgram::kYes);
  auto options = std::make_shared<RacesArguments>();
  options->plan.add_limits_to(verb);
  verb.number("--executions", options->executions, "how many schedules to watch");
  verb.one_of("--carrier", options->carrier, kCarriers, "what program threads run on: fiber is fast, kernel suits debuggers");
  verb.text("--suppress", options->suppress, "leave out races in these functions or files: globs, separated by commas", "PATTERNS");
  verb.text("--suppressions", options->suppressions, "the same from a file, one pattern a line", "FILE");
  verb.flag("--confirmed", options->confirmed_only, "leave out what no run has confirmed");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_races(session, *options); }; });
}

constexpr VerbRow kRacesVerb{120, add_races};
HEDDLE_ROW(verbs, kRacesVerb);

}  // namespace

}  // namespace heddle::cli
