// heddle reduce: which threads, and which iterations of loops, does the bug need?
#include "cli/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/dependences.h"
#include "cli/print.h"
#include "cli/saved_bug.h"
#include "cli/statements.h"
#include "report/reduction.h"

namespace heddle::cli {

namespace {

void print_reduced(const Bug& bug, const Trace& failing, const ReduceResult& result, const ReductionRecord& reduction) {
  print_out("BUG {}  {} -> {} threads, {} -> {} events in {} run{}, {:.2f} s{}\n", bug.id, failing.counts().threads,
            result.best.counts().threads, failing.counts().events, result.best.counts().events, result.executions,
            result.executions == 1 ? "" : "s", result.seconds, result.sequential_bug ? "; it fails without any interleaving" : "");
  std::string kept;
  for (const std::string& thread : reduction.kept_threads) kept += (kept.empty() ? "" : ", ") + thread;
  print_out("needs {}: {}\n", kept_words(reduction), kept);
  for (const std::string& line : iteration_lines(reduction)) print_out("  {}\n", line);
  for (const std::string& line : statement_lines(reduction)) print_out("  {}\n", line);
  if (!reduction.no_statements.empty()) print_out("no statements were left out: {}\n", reduction.no_statements);
  print_out("left of it: {}\n", shorter_words(reduction));
  print_out("validated: {}\n", criterion_words(reduction));
  if (!result.finished) print_out("cut short: this is the best so far\n");
  if (result.iterations_lost > 0) print_out("{} iterations were too many to keep, and were not tried\n", result.iterations_lost);
  print_out("replay it: heddle replay {0} --reduced · heddle replay {0} --reduced --gdb\n", bug.id);
}

struct ReduceArguments : SavedBugOptions {
  std::string by = "delta";
};

// What is left by dependences alone; where nothing could be left out, the failing run itself.
ReduceResult by_dependence(const DependenceResult& found, const Trace& failing) {
  if (found.reduced) return *found.reduced;
  ReduceResult all;
  all.best = failing;
  all.one_minimal = false;
  return all;
}

void print_dependences(const Dependences& d, const Trace& failing) {
  if (!d.memory) print_out("dependences through memory are not known, so that nothing was left out by them: {}\n", d.why_not);
  for (const std::string& step : d.steps) print_out("{}\n", step);
  if (d.memory && d.steps.empty()) print_out("the failing thread depends on all {} threads\n", failing.threads().size());
}

int run(const Session& session, const ReduceArguments& options) {
  OpenedBug bug = open_failing(options, session);
  Progress progress(options.json);
  std::optional<DependenceResult> depends;
  if (options.by != "delta") depends = reduce_by_dependence(*bug.campaign, bug.failing);
  std::optional<ReduceResult> result;
  if (options.by == "dependence") {
    result = by_dependence(*depends, bug.failing);
  } else {
    const Trace& from = depends && depends->reduced ? depends->reduced->best : bug.failing;
    result = reduce_failure(*bug.campaign, from, options.seconds, progress, options.executions);
  }
  if (!result) throw Error("the reduced run does not replay, so nothing was removed");
  ReductionRecord reduction = reduction_of(*bug.campaign, bug.failing, *result);
  if (options.by == "dependence") reduction.by = {"dependence"};
  if (options.by == "both") reduction.by = {"dependence", "delta"};
  save_reduced(bug.bug, *result, reduction);
  if (options.json) {
    Json document = {{"verdict", "failure"}};
    document["failure"] = json_failure(result->best);
    document["found"] = json_counts(bug.failing.counts(), true);
    document["reduce"] = json_reduce(*result);
    document["reduced"] = json_counts(result->best.counts(), true);
    document["reduction"] = json_reduction(reduction);
    document["bug"] = BugStore::shown(bug.bug.id);
    if (depends) {
      Json& told = document["reduction"];
      told["dependences"] = json_dependences(depends->dependences, bug.failing);
      told["edges"] = json_edges(depends->dependences, bug.failing);
    }
    print_json(document);
  } else {
    if (depends) print_dependences(depends->dependences, bug.failing);
    print_reduced(bug.bug, bug.failing, *result, reduction);
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
    if (options.seconds > 0) options.seconds = std::max(1.0, options.seconds - result->seconds);
    if (executions == 0 || result->executions < executions) {
      if (executions != 0) options.max_executions = executions - result->executions;
      progress.show("reduce: slicing statements");
      remove_irrelevant_statements(campaign, failing, *result, options);
    }
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
  }
  progress.clear();
  if (result && !stop_flag() && !campaign.confirm(result->best).believed) result.reset();
  return result;
}

Json json_reduce(const ReduceResult& result) {
  const auto stage = [](const ReduceStage& s) {
    return Json{{"rounds", s.rounds}, {"executions", s.executions}, {"seconds", s.seconds}, {"events_left", s.events_left}};
  };
  std::set<LoopId> found, redundant;
  for (const LoopUse& use : result.loops) {
    found.insert(use.loop);
    uint64_t left = 0;
    for (const LoopUse& other : result.left) left += other.thread == use.thread && other.loop == use.loop ? other.iterations() : 0;
    const uint32_t index = result.best.thread_index(use.thread);
    const bool runs = index != kNoIndex && result.best.threads()[index].state != ThreadState::kRemoved;
    if (runs && left < use.iterations()) redundant.insert(use.loop);
  }
  return {{"executions", result.executions},
          {"rounds", result.rounds},
          {"seconds", result.seconds},
          {"removed", result.removed.size()},
          {"one_minimal", result.one_minimal},
          {"sequential_bug", result.sequential_bug},
          {"finished", result.finished},
          {"threads", stage(result.by_threads)},
          {"iterations", stage(result.by_iterations)},
          {"statements", stage(result.by_statements)},
          {"loops", {{"found", found.size()}, {"redundant", redundant.size()}}}};
}

void save_reduced(Bug& bug, const ReduceResult& result, const ReductionRecord& reduction) {
  const BugStore store;
  bug.was_reduced = true;
  bug.reduced = result.best.counts();
  store.save_trace(bug.id, kReducedTrace, result.best);
  store.save_text(bug.id, kReductionFile, encode_reduction(reduction));
  store.save(bug);
}

namespace {

void add_reduce(CLI::App& app, Session& session) {
  Verb verb(app, "reduce", "remove the threads and the iterations of loops that a saved bug does not need", TakesProgram::kBesideBug);
  auto options = std::make_shared<ReduceArguments>();
  options->add_to(verb);
  verb.one_of("--by", options->by, {"delta", "dependence", "both"},
              "how to find what is not needed: by trying, by what the failing thread depends on, or first the one and then the other");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

constexpr VerbRow kReduceVerb{80, add_reduce};
HEDDLE_ROW(verbs, kReduceVerb);

}  // namespace

}  // namespace heddle::cli
