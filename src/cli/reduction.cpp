#include "cli/reduction.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <tuple>

#include "cli/session.h"
#include "report/names.h"

namespace heddle::cli {

namespace {

// The fastest of a few where they are short, from the start of the program's first thread: a plan with a detector begins from no snapshot.
double replay_seconds(Campaign& campaign, const Trace& trace) {
  constexpr int kTimes = 3;
  constexpr double kLong = 2;
  Plan plan = campaign.replay_plan(trace);
  plan.detect |= kDetectIterations;
  double best = 0;
  for (int i = 0; i < kTimes && !stop_flag(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    campaign.pool().run_now(plan);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = i == 0 ? took : std::min(best, took);
    if (took > kLong) break;
  }
  return best;
}

// "file.c:12.5": the file and the line.
void read_place(const std::string& place, std::string& file, uint32_t& line) {
  const size_t colon = place.rfind(':');
  file = place.substr(0, colon);
  if (colon != std::string::npos) std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
}

KeptIterations kept_of(const LoopUse& use, const std::string& thread) {
  KeptIterations kept;
  read_place(use.place, kept.file, kept.line);
  kept.thread = thread;
  for (const IterationPart& part : use.parts) {
    for (uint64_t n = part.first; n <= part.last; ++n) kept.numbers.push_back(n);
  }
  return kept;
}

uint64_t all_iterations(const std::vector<LoopUse>& uses) {
  uint64_t all = 0;
  for (const LoopUse& use : uses) all += use.iterations();
  return all;
}

}  // namespace

ReductionRecord reduction_of(Campaign& campaign, const Trace& failing, const ReduceResult& result) {
  ReductionRecord r;
  r.by = {"delta"};
  const Counts before = failing.counts(), after = result.best.counts();
  r.threads = {before.threads, after.threads};
  r.log_events = {before.events, after.events};
  r.intervals = BeforeAfter{failing.slices().size(), result.best.slices().size()};
  const auto name_of = [&](ThreadId id) { return thread_name(result.best.threads()[result.best.thread_index(id)]); };
  std::vector<bool> runs(result.best.threads().size());
  for (const TraceSlice& slice : result.best.slices()) runs[slice.thread] = true;
  for (uint32_t t = 0; t < runs.size(); ++t) {
    if (runs[t]) r.kept_threads.push_back(thread_name(result.best.threads()[t]));
  }
  if (!result.loops.empty()) {
    r.iterations = BeforeAfter{all_iterations(result.loops), all_iterations(result.left)};
    for (const LoopUse& use : result.left) {
      KeptIterations kept = kept_of(use, name_of(use.thread));
      for (const LoopUse& whole : result.loops) {
        if (whole.thread == use.thread && whole.loop == use.loop) kept.before = whole.iterations();
      }
      r.kept_iterations.push_back(std::move(kept));
    }
  }
  if (result.statements) {
    r.statements = BeforeAfter{result.statements->before, result.statements->after};
    for (const StatementUse& use : result.statements->uses) {
      if (use.after == 0) continue;
      KeptStatement kept{{}, 0, name_of(use.thread), use.before, use.after};
      read_place(use.place, kept.file, kept.line);
      r.kept_statements.push_back(std::move(kept));
    }
    std::sort(r.kept_statements.begin(), r.kept_statements.end(), [](const KeptStatement& a, const KeptStatement& b) {
      return std::tie(a.file, a.line, a.thread) < std::tie(b.file, b.line, b.thread);
    });
  }
  r.no_statements = result.no_statements;
  r.replay_seconds_before = replay_seconds(campaign, failing);
  r.replay_seconds_after = replay_seconds(campaign, result.best);
  r.same_failure = same_bug(failing, result.best);
  r.criterion = {r.same_failure, result.in_turn.reached, result.in_turn.passed, result.sequential_bug, result.in_turn.asked};
  return r;
}

}  // namespace heddle::cli
