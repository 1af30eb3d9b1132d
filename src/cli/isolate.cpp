// heddle isolate: the smallest difference between a failing and a passing schedule.
#include "simplify/isolate.h"

#include <fmt/format.h>

#include "cli/pipeline.h"
#include "cli/session.h"
#include "report/names.h"
#include "trace/stacks.h"

namespace heddle {

namespace {

struct Options {
  std::string bug;
  double seconds = 60;
  uint64_t seed = 1;
  unsigned jobs = 0;
  std::string carrier;
  bool json = false;
};

int run(const Session& session, const Options& options) {
  session.no_program("isolate");
  catch_interrupts();
  Reopened r = reopen(options.bug, options.carrier, options.jobs);
  const BugStore store;
  const Trace failing = store.load_trace(r.bug, store.has(r.bug, kSimplifiedTrace) ? kSimplifiedTrace : kFailingTrace);
  std::optional<Trace> passing;
  if (store.has(r.bug, kPassingTrace)) passing = store.load_trace(r.bug, kPassingTrace);
  const IsolateResult result = isolate_failure(*r.campaign, failing, passing, options.seconds, options.seed);
  if (result.isolated) save_isolated(r.bug, result);
  if (options.json) {
    Json document = {{"verdict", result.isolated ? "isolated" : "inconclusive"}};
    document["isolate"] = json_isolate(result);
    if (result.isolated) document["cause"] = json_cause(result.failing, result.switch_from);
    document["bug"] = BugStore::shown(r.bug.id);
    print_json(document);
  } else if (result.isolated) {
    fmt::print("BUG {}  {}\n", r.bug.id, deciding_sentence(result));
    fmt::print("{} runs, {:.2f} s; heddle show {} --passing has the passing run\n", result.executions, result.seconds, r.bug.id);
  } else {
    fmt::print("BUG {}  not isolated: {}\n", r.bug.id, result.why);
  }
  if (stop_flag()) return exit_value(ExitCode::kInterrupted);
  return result.isolated ? 0 : exit_value(ExitCode::kCannotTest);
}

}  // namespace

IsolateResult isolate_failure(Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing, double seconds,
                              uint64_t seed) {
  IsolateOptions options;
  options.passing = passing;
  options.seconds = seconds;
  options.stop = &stop_flag();
  options.seed = seed;
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

void add_isolate(CLI::App& app, Session& session) {
  Verb verb(app, "isolate", "the one switch that decides between pass and fail");
  auto options = std::make_shared<Options>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  verb.seconds("--time", options->seconds, "seconds to spend at most, 0 for no limit");
  verb.number("--seed", options->seed, "all randomness comes from it");
  verb.number("--jobs,-j", options->jobs, "workers, 0 for one on each core");
  verb.one_of("--carrier", options->carrier, kCarriers, "[as found]");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

}  // namespace heddle
