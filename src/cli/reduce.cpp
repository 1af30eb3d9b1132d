// heddle reduce: which threads, and which iterations of loops, does the bug need?
#include "cli/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "cli/dependences.h"
#include "cli/print.h"
#include "cli/requests.h"
#include "cli/saved_bug.h"
#include "cli/statements.h"
#include "cli/trace_sizes.h"
#include "report/names.h"
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
  for (const std::string& line : request_lines(reduction)) print_out("  {}\n", line);
  if (!reduction.no_inputs.empty()) print_out("no requests were left out: {}\n", reduction.no_inputs);
  for (const std::string& line : iteration_lines(reduction)) print_out("  {}\n", line);
  for (const std::string& line : statement_lines(reduction)) print_out("  {}\n", line);
  if (!reduction.no_statements.empty()) print_out("no statements were left out: {}\n", reduction.no_statements);
  print_out("left of it: {}\n", shorter_words(reduction));
  if (reduction.trace) print_out("{}\n", trace_words(*reduction.trace));
  print_out("validated: {}\n", criterion_words(reduction));
  if (!result.finished) print_out("cut short: this is the best so far\n");
  if (result.iterations_lost > 0) print_out("{} iterations were too many to keep, and were not tried\n", result.iterations_lost);
  print_out("replay it: heddle replay {0} --reduced · heddle replay {0} --reduced --gdb\n", bug.id);
}

struct ReduceArguments : SavedBugOptions {
  std::string by = "delta";
  bool sizes = false;
};

// What is left by dependences alone; where nothing could be left out, the failing run itself.
ReduceResult by_dependence(const DependenceResult& found, const Trace& failing) {
  return found.reduced ? *found.reduced : as_it_is(failing);
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
  const RequestsLeft requests = leave_out_requests(*bug.campaign, bug.failing, depends ? &depends->dependences : nullptr, options.seconds,
                                                   options.executions, progress);
  std::optional<ReduceResult> result;
  if (requests.nothing_may_go) {
    result = as_it_is(bug.failing);
  } else if (options.by == "dependence") {
    result = by_dependence(*depends, bug.failing);
    if (requests.best) result->best = *requests.best;
  } else {
    const Trace& from = requests.best ? *requests.best : depends && depends->reduced ? depends->reduced->best : bug.failing;
    result = reduce_failure(*bug.campaign, from, options.seconds, progress, options.executions);
    if (!result && requests.best) result = as_it_is(*requests.best);
  }
  if (!result) throw Error("the reduced run does not replay, so nothing was removed");
  ReductionRecord reduction = reduction_of(*bug.campaign, bug.failing, *result);
  if (options.by == "dependence") reduction.by = {"dependence"};
  if (options.by == "both") reduction.by = {"dependence", "delta"};
  tell_requests(requests, bug.failing, reduction);
  if (options.sizes && !stop_flag()) reduction.trace = trace_sizes(*bug.campaign, bug.failing, result->best, bug.bug.id);
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
      Json& saved = document["reduction"];
      Json graph = json_dependences(depends->dependences, bug.failing);
      if (saved.contains("dependences")) graph.update(saved["dependences"]);  // how many were traced
      saved["dependences"] = std::move(graph);
      saved["edges"] = json_edges(depends->dependences, bug.failing);
    }
    print_json(document);
  } else {
    if (depends) print_dependences(depends->dependences, bug.failing);
    print_reduced(bug.bug, bug.failing, *result, reduction);
  }
  return exit_unless_interrupted(ExitCode::kNothing);
}

}  // namespace

ReduceResult as_it_is(const Trace& failing) {
  ReduceResult all;
  all.best = failing;
  all.one_minimal = false;
  return all;
}

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

namespace {

// What a round kept, as LEAN's Figs. 8 and 9 show it: threads, then iterations by thread.
Json json_history(const ReduceResult& result) {
  constexpr size_t kMostNames = 16;
  Json rounds = Json::array();
  for (const ReduceRound& round : result.history) {
    std::set<ThreadId> gone;
    std::map<std::pair<ThreadId, LoopId>, uint64_t> fewer;
    uint64_t statements = 0;
    for (const Skip& skip : round.skips) {
      if (skip.kind == SkipKind::kThread) gone.insert(skip.thread);
      if (skip.kind == SkipKind::kIteration) fewer[{skip.thread, skip.loop}] += uint64_t{skip.more} + 1;
      if (skip.kind == SkipKind::kStatement) statements += uint64_t{skip.more} + 1;
    }
    Json names = Json::array();
    size_t threads = 0;
    const std::span<const Thread> all = result.best.threads();
    std::vector<bool> without(all.size());
    for (uint32_t t = 0; t < all.size(); ++t) {
      without[t] = gone.contains(all[t].id) || (t > 0 && all[t].parent < t && without[all[t].parent]);
      if (without[t]) continue;
      if (++threads <= kMostNames) names.push_back(thread_name(all[t]));
    }
    uint64_t iterations = 0;
    for (const LoopUse& use : result.loops) {
      const uint32_t index = result.best.thread_index(use.thread);
      if (index == kNoIndex || without[index]) continue;
      const auto left_out = fewer.find({use.thread, use.loop});
      iterations += use.iterations() - std::min(use.iterations(), left_out != fewer.end() ? left_out->second : 0);
    }
    const char* stage = round.stage == ReduceRound::Stage::kThreads      ? "threads"
                        : round.stage == ReduceRound::Stage::kIterations ? "iterations"
                                                                         : "statements";
    Json shown = {{"stage", stage}, {"holds", round.holds}, {"threads", threads}, {"kept", names}};
    if (!result.loops.empty()) shown["iterations"] = iterations;
    if (statements > 0) shown["statements_left_out"] = statements;
    rounds.push_back(std::move(shown));
  }
  return rounds;
}

}  // namespace

Json json_reduce(const ReduceResult& result) {
  const auto stage = [](const ReduceStage& s) {
    return Json{{"rounds", s.rounds},
                {"rounds_to_result", s.rounds_to_result},
                {"executions", s.executions},
                {"seconds", s.seconds},
                {"events_left", s.events_left}};
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
          {"loops", {{"found", found.size()}, {"redundant", redundant.size()}}},
          {"history", json_history(result)}};
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
  Verb verb(app, "reduce", "leave out what a saved bug does not need: threads, iterations of loops, statements, requests",
            TakesProgram::kBesideBug);
  verb.exit_codes("done", "", "cannot be done");
  auto options = std::make_shared<ReduceArguments>();
  options->recording = true;
  options->add_to(verb);
  verb.one_of(
      "--by", options->by, {"delta", "dependence", "both"},
      "how to find what is not needed: delta runs without it, dependence asks what the failing thread depends on, both does that first");
  verb.flag(
      "--sizes", options->sizes,
      "replay the whole and the reduced run under Valgrind, count the instruction blocks, and save those that the failure depends on");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

constexpr VerbRow kReduceVerb{80, add_reduce};
HEDDLE_ROW(verbs, kReduceVerb);

}  // namespace

}  // namespace heddle::cli
