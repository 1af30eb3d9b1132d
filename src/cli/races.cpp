// heddle races: the data races of a program, with what was not seen.
#include <fmt/format.h>

#include <sstream>

#include "cli/blind_spots.h"
#include "cli/campaign.h"
#include "cli/points.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/watched.h"
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

// A run tells the sizes of accesses up to 65,535 bytes.
std::string bytes_of(size_t size) { return size >= 65535 ? "64 kB or more" : std::to_string(size) + " bytes"; }

void print_side(const char* when, const RaceSideReport& side) {
  std::string locks = side.locks.empty() ? "no lock held" : "holding";
  for (size_t i = 0; i < side.locks.size(); ++i) locks += (i == 0 ? " " : ", ") + side.locks[i];
  print_out("  {} thread {} {} {} at {} ({})\n", when, side.thread, row(side.op).words, bytes_of(side.size), side.place, locks);
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

// What the runs have shown, however the accesses were seen.
struct Findings {
  RaceLog races;
  std::optional<Trace> last;
  size_t executions = 0;
  size_t schedules = 0;
  size_t unknown = 0;  // instructions that may be atomic
  ContentionLog contentions;
  LockOrderLog orders;
  std::string inconclusive;
  size_t failing = 0;
};

RunnerOptions options_for(const RacesArguments& options) {
  RunnerOptions runner_options;
  runner_options.library = runtime_library();
  runner_options.carrier = carrier_named(options.carrier);
  runner_options.input = input_of_tool();
  runner_options.stop = &stop_flag();
  return runner_options;
}

Plan base_plan(const RacesArguments& options, const RunnerOptions& runner_options) {
  Plan base = options.plan.plan();
  base.tail = PolicySpec{};
  base.input_id = runner_options.input->id();
  return base;
}

// Counts what a run says beside its races.
std::function<bool(const Trace&)> counting(Findings& found, Progress& progress) {
  return [&found, &progress, runs = size_t{0}](const Trace& trace) mutable {
    progress.show(fmt::format("{} runs", ++runs));
    found.contentions.add(trace);
    if (!is_failure(trace.outcome())) found.orders.add(trace);
    if (is_inconclusive(trace.outcome())) found.inconclusive = describe_failure(trace);
    found.failing += is_failure(trace.outcome()) ? 1 : 0;
    return !stop_flag();
  };
}

Findings watch_instrumented(const Plan& base, const RacesArguments& options, Runner& runner, Progress& progress) {
  Findings found;
  const ProfileLimits limits{options.executions, options.executions};
  const PointSet set = profile_races(base, options.plan.seed(), limits, runner.as_function(), counting(found, progress));
  found.races = set.races;
  found.last = set.last;
  found.executions = found.schedules = set.executions;
  return found;
}

Findings watch_plain(const Plan& base, const RacesArguments& options, const SharedRegions& regions, Runner& runner, Progress& progress) {
  Findings found;
  const WatchedRaces watched = profile_watched(base, options.plan.seed(), {options.executions, options.executions}, runner.as_function(),
                                               regions, counting(found, progress));
  if (!watched.last) throw Error("interrupted", ExitCode::kInterrupted);
  found.races = watched.races.log();
  found.last = watched.last;
  found.executions = watched.executions;
  found.schedules = watched.schedules;
  found.unknown = watched.races.unknown();
  return found;
}

struct Shown {
  std::vector<RaceReport> races;
  size_t confirmed = 0;
  std::vector<Contention> contended;
  std::vector<Inversion> inversions;
  BlindSpots spots;
  bool plain = false;  // seen by Valgrind
};

Json json_of(const Findings& found, const Shown& shown) {
  Json document = {{"confirmed", shown.confirmed},
                   {"possible", shown.races.size() - shown.confirmed},
                   {"executions", found.executions},
                   {"schedules", found.schedules},
                   {"races", Json::array()}};
  for (const RaceReport& r : shown.races) {
    document["races"].push_back({{"kind", r.confirmed ? "confirmed" : "possible"},
                                 {"object", r.object},
                                 {"runs", r.runs},
                                 {"first", json_side(r.first)},
                                 {"second", json_side(r.second)}});
  }
  document["contentions"] = Json::array();
  for (const Contention& c : shown.contended)
    document["contentions"].push_back({{"lock", c.lock}, {"holder", c.holder}, {"waiter", c.waiter}, {"runs", c.runs}, {"count", c.count}});
  document["lock_orders"] = json_inversions(shown.inversions);
  document["not_instrumented"] = shown.spots.plain_modules;
  document["functions"] = {{"executed", shown.spots.executed}, {"not_instrumented", shown.spots.plain_functions}};
  document["warnings"] = shown.spots.warnings;
  if (!found.inconclusive.empty()) document["inconclusive"] = found.inconclusive;
  document["failing_runs"] = found.failing;
  document["points"] = shown.plain ? "sync" : "racy";
  document["sites"] = found.races.sites().size();
  document["seen_by"] = shown.plain ? "valgrind" : "instrumentation";
  return document;
}

void print_text(const Findings& found, const Shown& shown, const Target& target) {
  for (const RaceReport& r : shown.races) {
    print_out("{} on {}: {} and {}\n", r.confirmed ? "RACE" : "POSSIBLE RACE", r.object, r.first.place, r.second.place);
    print_side("first ", r.first);
    print_side("second", r.second);
  }
  print_inversions(shown.inversions);
  for (size_t i = 0; i < shown.contended.size() && i < kContentionsShown; ++i) {
    const Contention& c = shown.contended[i];
    print_out("CONTENTION on {}: taken at {}, waited for at {} (in {} of {} runs)\n", c.lock, c.holder, c.waiter, c.runs, found.schedules);
  }
  if (shown.contended.size() > kContentionsShown)
    print_out("and {} more contentions: --json has them all\n", shown.contended.size() - kContentionsShown);
  print_out("{} confirmed and {} possible races in {} runs{}\n", shown.confirmed, shown.races.size() - shown.confirmed, found.schedules,
            shown.plain ? ", seen by Valgrind" : "");
  for (const std::string& module : shown.spots.plain_modules) print_out("not instrumented: {}\n", base_name(module));
  const std::vector<std::string>& plain = shown.spots.plain_functions;
  if (!plain.empty()) {
    const size_t named = std::min<size_t>(plain.size(), 5);
    print_out("{} of {} executed functions of the program are not instrumented: {}{}\n", plain.size(), shown.spots.executed,
              fmt::join(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(named), ", "), named < plain.size() ? "..." : "");
  }
  for (const std::string& warning : shown.spots.warnings) print_out("warning: {}\n", warning);
  if (!found.inconclusive.empty()) print_out("some runs could not be watched to their end; the last: {}\n", found.inconclusive);
  if (found.failing > 0) print_out("{} of the runs failed: heddle debug -- {}\n", found.failing, fmt::join(target.arguments, " "));
}

// What a program that is not instrumented does not show.
BlindSpots spots_of_plain(const Findings& found, const Symbols& symbols) {
  BlindSpots spots;
  for (const Note& n : found.last->notes()) {
    if (n.text.find("watched") != std::string::npos) spots.warnings.push_back(n.text);
  }
  if (found.unknown > 0)
    spots.warnings.push_back(fmt::format(
        "{} instructions may be accesses to atomic variables, which their code does not show: races between them are only possible",
        found.unknown));
  for (unsigned i = 0; i < found.last->modules().size(); ++i) {
    if (found.last->modules()[i].instrumented && !symbols.has_debug_info(i))
      spots.warnings.push_back(
          fmt::format("{} has no debug information: places in it are shown as offsets", found.last->modules()[i].path));
  }
  return spots;
}

int run_races(const Session& session, const RacesArguments& options) {
  const Target target = Target::resolve(session.program());
  const Suppressions patterns = options.patterns();
  const Instrumentation built = build_of(target.program).instrumentation;
  if (built == Instrumentation::kStaticDetector)
    throw Error(fmt::format("{}: contains a race detector of its own, which nothing can replace: build it with heddle-cc",
                            target.arguments.front()));
  const bool plain = built == Instrumentation::kNone && !target.script;
  const ValgrindTool tool = find_valgrind_tool();
  if (plain && !tool.present())
    throw Error(fmt::format("{}: its memory accesses cannot be seen: build it with heddle-cc or heddle-c++. {}", target.arguments.front(),
                            tool.missing));
  catch_interrupts();
  RunnerOptions runner_options = options_for(options);
  const Plan base = base_plan(options, runner_options);
  const SharedRegions regions;
  if (plain) runner_options.snapshots.enabled = runner_options.reuse = false;
  Runner runner(plain ? under_valgrind(target, tool, {"--regions=" + regions.path()}) : target, runner_options);

  Progress progress(options.json);
  const Findings found =
      plain ? watch_plain(base, options, regions, runner, progress) : watch_instrumented(base, options, runner, progress);
  progress.clear();

  std::vector<std::string> paths;
  for (const Module& m : found.last->modules()) paths.push_back(m.path);
  const Symbols symbols(paths);
  Shown shown;
  shown.plain = plain;
  shown.races = found.races.report(symbols, patterns);
  if (options.confirmed_only) std::erase_if(shown.races, [](const RaceReport& r) { return !r.confirmed; });
  shown.confirmed =
      static_cast<size_t>(std::count_if(shown.races.begin(), shown.races.end(), [](const RaceReport& r) { return r.confirmed; }));
  shown.contended = found.contentions.report(symbols);
  shown.inversions = found.orders.report(symbols);
  shown.spots = plain ? spots_of_plain(found, symbols) : blind_spots(*found.last, symbols, base, runner.as_function());
  if (options.json) {
    print_json(json_of(found, shown));
  } else {
    print_text(found, shown, target);
  }
  if (stop_flag()) return exit_value(ExitCode::kInterrupted);
  return exit_value(shown.confirmed > 0 ? ExitCode::kFailure : ExitCode::kNothing);
}

}  // namespace

namespace {

void add_races(CLI::App& app, Session& session) {
  Verb verb(app, "races", "find the data races of a program that is built with heddle-cc or watched by Valgrind", TakesProgram::kYes);
  verb.exit_codes("no race was confirmed", "races", "cannot test");
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
