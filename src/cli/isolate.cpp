// heddle isolate: the smallest difference between a failing and a passing schedule.
#include "cli/isolate.h"
#include "cli/pipeline.h"

#include <fmt/format.h>

#include "cli/print.h"
#include "cli/saved_bug.h"
#include "cli/show_at.h"
#include "report/names.h"
#include "simplify/doomed.h"
#include "store/saved_stacks.h"

namespace heddle::cli {

namespace {

struct IsolateArguments {
  SavedBugOptions saved;
  IsolateOptions isolate;
  std::string by = "auto";
  std::string other_failures = "unresolved";
  std::string against;
  bool doomed = false;
};

IsolateBy by_named(const std::string& name) {
  return name == "clock" ? IsolateBy::kClock : name == "identity" ? IsolateBy::kIdentity : IsolateBy::kAuto;
}

std::string place_in_words(const Trace& trace, size_t event) {
  const Symbols symbols(module_paths(trace));
  Names names(trace, symbols);
  const Event& e = trace.events()[event];
  return fmt::format("step {}: {} `{}` at {}", event + 1, names.thread(e.thread), names.operation(e), names.place(e.site));
}

Json json_probe(const DoomedProbe& p) {
  return {{"events", p.events}, {"failed", p.failed}, {"passed", p.passed}, {"unresolved", p.unresolved}};
}

// The point of no return.
int run_doomed(const OpenedBug& bug, const IsolateArguments& options) {
  DoomedOptions doomed_options;
  doomed_options.seed = options.isolate.seed;
  doomed_options.max_executions = options.saved.executions;
  doomed_options.seconds = options.saved.seconds;
  doomed_options.stop = &stop_flag();
  doomed_options.limits.watchdog_ms = bug.campaign->base().limits.watchdog_ms;
  const DoomedResult result = doomed(
      bug.failing, [&](const Trace& trace) { return same_bug(bug.failing, trace); }, bug.campaign->pool(), doomed_options);
  if (options.saved.json) {
    Json document = {{"verdict", result.found ? "doomed" : "inconclusive"}};
    document["doomed"] = {{"from_start", result.from_start}, {"executions", result.executions}, {"seconds", result.seconds}};
    if (!result.found) document["doomed"]["why"] = result.why;
    if (result.found) {
      document["doomed"]["before"] = json_probe(result.before);
      document["doomed"]["after"] = json_probe(result.after);
      if (!result.from_start) {
        document["doomed"]["event"] = result.event + 1;
        document["doomed"]["place"] = place_in_words(bug.failing, result.event);
      }
    }
    document["bug"] = BugStore::shown(bug.bug.id);
    print_json(document);
  } else if (result.found) {
    const DoomedProbe& before = result.before;
    const DoomedProbe& after = result.after;
    if (result.from_start) {
      print_out("BUG {}  fails from the start: {} of {} schedules\n", bug.bug.id, after.failed, after.failed + after.passed);
    } else {
      print_out("BUG {}  point of no return: {}\n", bug.bug.id, place_in_words(bug.failing, result.event));
      print_out("{} of {} continuations fail before it, {} of {} after it; {} runs, {:.2f} s\n", before.failed,
                before.failed + before.passed, after.failed, after.failed + after.passed, result.executions, result.seconds);
    }
  } else {
    print_out("BUG {}  no point of no return was found: {}\n", bug.bug.id, result.why);
  }
  return exit_unless_interrupted(result.found ? ExitCode::kNothing : ExitCode::kCannotTest);
}

// Where the thread that the deciding switch stops stands in the two runs: back-traces of the two places that it separates.
struct DecidingStacks {
  std::vector<std::string> failing, passing;
};

DecidingStacks deciding_stacks(Campaign& campaign, const IsolateResult& result) {
  DecidingStacks stacks;
  if (result.switch_from >= result.failing.events().size()) return stacks;
  const uint32_t thread = result.failing.events()[result.switch_from].thread;
  stacks.failing = stack_at(campaign, result.failing, result.switch_from + 1, thread);
  const auto passing = result.passing.events();
  if (!result.decides_in_passing || result.decides >= passing.size() || passing[result.decides].thread != thread) return stacks;
  stacks.passing = stack_at(campaign, result.passing, result.decides + 1, thread);
  return stacks;
}

void print_stack(const char* title, const std::vector<std::string>& stack) {
  if (stack.empty()) return;
  print_out("{}\n", title);
  for (size_t k = 0; k < stack.size(); ++k) print_out("  #{:<2} {}\n", k, stack[k]);
}

int run_isolate(const Session& session, const IsolateArguments& options) {
  OpenedBug bug = open_failing(options.saved, session);
  if (options.doomed) return run_doomed(bug, options);
  const BugStore store;
  IsolateOptions isolate_options = options.isolate;
  isolate_options.by = by_named(options.by);
  isolate_options.other_failures_fail = options.other_failures == "fail";
  isolate_options.max_executions = options.saved.executions;
  isolate_options.seconds = options.saved.seconds;
  if (!options.against.empty()) {
    const Bug other = store.load(options.against);
    isolate_options.passing = store.load_trace(other, kFailingTrace);  // the run of a recording, whichever way it ended
  } else if (!options.saved.found && store.has(bug.bug, kPassingTrace)) {
    isolate_options.passing = store.load_trace(bug.bug, kPassingTrace);
  }
  const IsolateResult result = isolate_failure(*bug.campaign, bug.failing, std::move(isolate_options));
  if (result.isolated) save_isolated(bug.bug, result);
  const DecidingStacks stacks = result.isolated ? deciding_stacks(*bug.campaign, result) : DecidingStacks{};
  if (options.saved.json) {
    Json document = {{"verdict", result.isolated ? "isolated" : "inconclusive"}};
    document["isolate"] = json_isolate(result);
    document["isolate"]["stack_failing"] = stacks.failing;
    document["isolate"]["stack_passing"] = stacks.passing;
    if (result.isolated) document["cause"] = json_cause(result.failing, result.switch_from);
    document["bug"] = BugStore::shown(bug.bug.id);
    print_json(document);
  } else if (result.isolated) {
    print_out("BUG {}  {}\n", bug.bug.id, deciding_sentence(result));
    print_out("{} tests for {} differences, {} runs in all, {:.2f} s; heddle show {} --passing has the passing run\n", result.delta.tests,
              result.delta.differences, result.executions, result.seconds, bug.bug.id);
    print_stack("it fails if the thread is stopped here:", stacks.failing);
    print_stack("and passes if it gets here:", stacks.passing);
  } else {
    print_out("BUG {}  not isolated: {}\n", bug.bug.id, result.why);
  }
  return exit_unless_interrupted(result.isolated ? ExitCode::kNothing : ExitCode::kCannotTest);
}

}  // namespace

IsolateResult isolate_failure(Campaign& campaign, const Trace& failing, IsolateOptions options) {
  options.stop = &stop_flag();
  options.limits.watchdog_ms = campaign.base().limits.watchdog_ms;
  try {
    return isolate(
        failing, [&](const Trace& trace) { return same_bug(failing, trace); }, campaign.pool(), options);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
  }
  IsolateResult interrupted;
  interrupted.why = "interrupted";
  return interrupted;
}

Json json_isolate(const IsolateResult& result) {
  Json j = {{"isolated", result.isolated}, {"executions", result.executions}, {"seconds", result.seconds}};
  j["by"] = result.by == IsolateBy::kIdentity ? "identity" : "clock";
  j["fuzz_executions"] = result.fuzz_executions;
  const DeltaResult& d = result.delta;
  j["tests"] = d.tests;
  j["tests_to_one_switch"] = d.tests_to_one_switch;
  j["invalid"] = d.invalid;
  j["unresolved"] = d.unresolved;
  j["differences"] = d.differences;
  j["differences_left"] = d.left;
  j["switches"] = d.switches;
  j["switches_left"] = d.switches_left;
  if (result.isolated) {
    j["switch"] = result.switch_number;
    j["fails_at"] = result.fails_at;
    j["passes_at"] = result.passes_at;
    j["sentence"] = deciding_sentence(result);
  } else {
    j["why"] = result.why;
  }
  return j;
}

std::string deciding_sentence(const IsolateResult& result) {
  const auto events = result.failing.events();
  if (result.switch_from >= events.size()) return "fails without the switch at which the passing run differs";
  const Symbols symbols(module_paths(result.failing));
  Names names(result.failing, symbols);
  const Event& last = events[result.switch_from];
  std::string text =
      fmt::format("fails if {} is stopped after {} (step {})", names.thread(last.thread), names.place(last.site), result.switch_from + 1);
  if (result.switch_to < events.size()) text += fmt::format(" and {} runs", names.thread(events[result.switch_to].thread));
  const Trace& holder = result.decides_in_passing ? result.passing : result.failing;
  if (result.decides >= holder.events().size()) return text + "; passes if the switch comes one operation elsewhere";
  const Symbols other_symbols(module_paths(holder));
  Names other(holder, other_symbols);
  const Event& decides = holder.events()[result.decides];
  return text + fmt::format("; passes if the switch comes {} `{}` at {}", result.decides_in_passing ? "after" : "before",
                            other.operation(decides), other.place(decides.site));
}

void save_isolated(Bug& bug, const IsolateResult& result) {
  const BugStore store;
  bug.decides = deciding_sentence(result);
  store.save_trace(bug.id, kPassingTrace, result.passing);
  store.remove(bug.id, kPassingStacks);
  store.save(bug);
}

namespace {

void add_isolate(CLI::App& app, Session& session) {
  Verb verb(app, "isolate", "find the one switch that decides between pass and fail", TakesProgram::kBesideBug);
  verb.exit_codes("the switch was found", "", "it was not found");
  auto options = std::make_shared<IsolateArguments>();
  options->saved.add_to(verb);
  verb.number("--seed", options->isolate.seed, "random seed");
  verb.one_of("--by", options->by, {"auto", "clock", "identity"},
              "how a switch is named: by the time of a global clock, or by its thread and that thread's operations");
  verb.one_of("--other-failures", options->other_failures, {"unresolved", "fail"}, "how to count a run that fails differently");
  verb.text("--against", options->against, "a recorded run that passes (heddle record --always) [the nearest one seen]", "RUN");
  verb.number("--fuzz", options->isolate.fuzz_executions, "runs to spend at most on finding a passing schedule");
  verb.flag("--doomed", options->doomed, "look for the point of no return: the first operation after which all sampled continuations fail");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_isolate(session, *options); }; });
}

constexpr VerbRow kIsolateVerb{90, add_isolate};
HEDDLE_ROW(verbs, kIsolateVerb);

}  // namespace

}  // namespace heddle::cli
