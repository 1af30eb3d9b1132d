#include "simplify/isolate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "simplify/budget.h"
#include "simplify/isolate_runs.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

Times preemption_times(const Trace& trace) {
  Times times;
  for (const TraceSlice& s : trace.slices()) {
    if (s.preempted) times.push_back(s.end + 1);
  }
  return times;
}

Times fuzzed(const Times& times, double width, uint64_t seed) {
  constexpr double kTwoPi = 6.283185307179586;
  Times out;
  for (size_t i = 0; i < times.size(); ++i) {
    // Box & Muller 1958, from two words of the project's own generator: the same on every machine's library.
    const double u = static_cast<double>((mix(mix(seed, i), 1) >> 11) + 1) / 9007199254740993.0;
    const double v = static_cast<double>(mix(mix(seed, i), 2) >> 11) / 9007199254740992.0;
    const double moved = static_cast<double>(times[i]) + width * std::sqrt(-2 * std::log(u)) * std::cos(kTwoPi * v);
    out.push_back(moved < 1 ? 1 : static_cast<uint64_t>(std::llround(moved)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

TestOutcome IsolateRuns::judge(const Trace& trace) const {
  if (same_bug_(trace)) return TestOutcome::kFail;
  if (is_inconclusive(trace.outcome())) return TestOutcome::kUnresolved;
  if (!is_failure(trace.outcome())) return TestOutcome::kPass;
  return options_.other_failures_fail ? TestOutcome::kFail : TestOutcome::kUnresolved;
}

Trace IsolateRuns::run(const Plan& plan) {
  budget_.count();
  executor_.submit(plan);
  return executor_.next();
}

void IsolateRuns::narrow(const Times& passing, const Times& failing, const std::function<Plan(const Times&)>& plan,
                         const std::function<bool(const Times&)>& valid, IsolateResult& result) {
  constexpr size_t kKept = 4'000'000;  // events; what does not fit is run again if it is wanted in the end
  std::map<Times, Trace> traces;
  size_t kept = 0;
  traces[passing] = result.passing;
  traces[failing] = result.failing;
  result.delta = delta_debug(
      passing, failing,
      [&](const Times& times) {
        Trace trace = run(plan(times));
        const TestOutcome outcome = judge(trace);
        kept += trace.events().size();
        if (outcome != TestOutcome::kUnresolved && kept <= kKept) traces[times] = std::move(trace);
        return outcome;
      },
      [&] { return !spent(); }, valid);
  auto trace_of = [&](const Times& times) { return traces.contains(times) ? traces[times] : run(plan(times)); };
  result.passing = trace_of(result.delta.passing);
  result.failing = trace_of(result.delta.failing);
  result.isolated = result.delta.minimal && result.delta.left == 1;
  if (result.isolated) return;
  result.why = result.delta.minimal ? "several differences decide together: each smaller set was unresolved"
                                    : "the tests ended before a single difference was left";
}

namespace {

// A schedule under the FIFO dispatch queue (section 3.3): clock times mean nothing without that rule.
Plan fifo_plan(const Trace& like, const Times& times, const Limits& limits) {
  Plan plan = plan_for({}, like, limits);
  plan.choices.clear();
  plan.tail.kind = PolicyKind::kFifo;
  plan.steps = times;
  return plan;
}

// Narrow first, wider until the outcome changes (section 5).
std::optional<std::pair<Times, Trace>> fuzz_until_pass(const Trace& failing, const Times& times, IsolateRuns& runs, IsolateResult& result) {
  constexpr size_t kEach = 8;
  const double widest = static_cast<double>(failing.events().size()) + 1;
  double width = 1;
  for (size_t i = 0; i < runs.options().fuzz_executions && !runs.spent(); ++i) {
    if (i > 0 && i % kEach == 0) width = std::min(width * 1.5, widest);
    const Times candidate = fuzzed(times, width, mix(runs.options().seed, i));
    ++result.fuzz_executions;
    Trace trace = runs.run(fifo_plan(failing, candidate, runs.limits()));
    if (runs.judge(trace) == TestOutcome::kPass) return std::pair(candidate, trace);
  }
  return std::nullopt;
}

void name_the_switch(IsolateResult& result) {
  const DeltaResult& delta = result.delta;
  for (size_t i = 0; i < delta.failing.size(); ++i) {
    if (delta.failing[i] == delta.passing[i]) continue;
    result.switch_number = i + 1;
    result.fails_at = delta.failing[i];
    result.passes_at = delta.passing[i];
    break;
  }
  const size_t at = static_cast<size_t>(result.fails_at);
  if (at >= 2 && at <= result.failing.events().size()) {
    result.switch_from = at - 2;
    result.switch_to = at - 1;
  }
  const size_t earlier = static_cast<size_t>(std::min(result.fails_at, result.passes_at));
  result.decides_in_passing = result.passes_at > result.fails_at;
  const Trace& has_it = result.decides_in_passing ? result.passing : result.failing;
  if (earlier >= 1 && earlier <= has_it.events().size()) result.decides = earlier - 1;
}

bool isolate_by_clock(const Trace& failing, IsolateRuns& runs, IsolateResult& result) {
  result.by = IsolateBy::kClock;
  Times fail_times = preemption_times(failing);
  const Trace again = runs.run(fifo_plan(failing, fail_times, runs.limits()));
  if (runs.judge(again) != TestOutcome::kFail) {
    result.why = "the failing schedule cannot be written as times of preemptions under a first-in first-out dispatch queue";
    return false;
  }
  result.failing = again;
  Times pass_times;
  bool found = false;
  if (runs.options().passing) {
    pass_times = preemption_times(*runs.options().passing);
    result.passing = runs.run(fifo_plan(failing, pass_times, runs.limits()));
    found = runs.judge(result.passing) == TestOutcome::kPass;
  }
  if (!found) {
    const auto fuzz = fuzz_until_pass(failing, fail_times, runs, result);
    if (fuzz) {
      pass_times = fuzz->first;
      result.passing = fuzz->second;
      found = true;
    }
  }
  if (!found) {
    result.why = "no passing schedule was found near the failing one";
    return false;
  }
  pad(pass_times, fail_times, std::max(again.events().size(), result.passing.events().size()) + 1);
  runs.narrow(
      pass_times, fail_times, [&](const Times& times) { return fifo_plan(failing, times, runs.limits()); }, valid_times, result);
  if (result.isolated) name_the_switch(result);
  return true;
}

}  // namespace

IsolateResult isolate(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                      const IsolateOptions& options) {
  IsolateResult result;
  IsolateRuns runs(failing, same_bug, executor, options);
  bool done = false;
  if (options.by != IsolateBy::kIdentity)
    done = isolate_by_clock(failing, runs, result) && (result.isolated || options.by == IsolateBy::kClock);
  if (!done && options.by != IsolateBy::kClock) {
    const size_t fuzz = result.fuzz_executions;
    result = IsolateResult();
    result.fuzz_executions = fuzz;
    isolate_by_identity(failing, runs, result);
  }
  result.executions = runs.executions();
  result.seconds = runs.elapsed();
  return result;
}

}  // namespace heddle::simplify
