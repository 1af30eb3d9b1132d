// Isolation by identity: a switch is named by its thread and the number of that thread's next operation, not by a global clock, so that an
// earlier or later start of another thread does not move it.
#include <algorithm>

#include "simplify/isolate_runs.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

namespace {

// The failing run's intervals with movable ends: a preemption at a thread's operation u may come at any operation up to the thread's next
// preemption, where it is no more.
class MovableSwitches {
 public:
  MovableSwitches(const Trace& failing, const Limits& limits) : failing_(failing), limits_(limits) {
    const auto slices = failing.slices();
    std::vector<uint64_t> next(failing.threads().size());
    for (const TraceSlice& s : slices) next[s.thread] = failing.events()[s.end - 1].number + 1;
    passing_times.resize(slices.size());
    failing_times.resize(slices.size());
    for (size_t i = slices.size(); i-- > 0;) {
      const TraceSlice& s = slices[i];
      failing_times[i] = failing.events()[s.end - 1].number + 1;
      passing_times[i] = s.preempted ? next[s.thread] : failing_times[i];
      if (s.preempted) next[s.thread] = failing_times[i];
    }
    // The last preemption of a thread may go as far as the thread went; if it stopped there, one operation further.
    for (size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].preempted && passing_times[i] == failing_times[i]) ++passing_times[i];
    }
  }

  Plan plan(const Times& times) const {
    const auto slices = failing_.slices();
    std::vector<uint64_t> until(failing_.threads().size(), kForever);
    Schedule schedule = schedule_of(failing_);
    for (size_t i = schedule.size(); i-- > 0;) {
      uint64_t& stop = until[slices[i].thread];
      if (slices[i].preempted && times[i] < passing_times[i]) stop = times[i] - 1;
      schedule[i].last = stop;
    }
    return plan_for(schedule, failing_, limits_);
  }

  Times passing_times, failing_times;  // one for each slice; equal for those that are no preemptions

 private:
  const Trace& failing_;
  const Limits& limits_;
};

size_t event_of(const Trace& trace, ThreadId thread, uint64_t number) {
  const uint32_t index = trace.thread_index(thread);
  for (size_t i = 0; i < trace.events().size(); ++i) {
    if (trace.events()[i].thread == index && trace.events()[i].number == number) return i;
  }
  return kNoDifference;
}

bool by_moving(const Trace& failing, IsolateRuns& runs, IsolateResult& result) {
  const MovableSwitches switches(failing, runs.limits());
  if (switches.passing_times == switches.failing_times) return false;
  result.passing = runs.run(switches.plan(switches.passing_times));
  if (runs.judge(result.passing) != TestOutcome::kPass) return false;
  result.failing = runs.run(switches.plan(switches.failing_times));
  if (runs.judge(result.failing) != TestOutcome::kFail) return false;
  runs.narrow(
      switches.passing_times, switches.failing_times, [&](const Times& t) { return switches.plan(t); }, [](const Times&) { return true; },
      result);
  if (!result.isolated) return true;
  for (size_t i = 0; i < failing.slices().size(); ++i) {
    if (failing.slices()[i].preempted && switches.failing_times[i] != kForever) {
      if (result.delta.passing[i] == result.delta.failing[i]) continue;
      const ThreadId thread = failing.threads()[failing.slices()[i].thread].id;
      result.switch_number =
          1 + static_cast<size_t>(std::count_if(failing.slices().begin(), failing.slices().begin() + static_cast<std::ptrdiff_t>(i),
                                                [](const TraceSlice& s) { return s.preempted; }));
      result.fails_at = result.delta.failing[i];
      result.passes_at = result.delta.passing[i];
      result.switch_from = event_of(result.failing, thread, result.fails_at - 1);
      if (result.switch_from + 1 < result.failing.events().size()) result.switch_to = result.switch_from + 1;
      result.decides_in_passing = true;
      result.decides = event_of(result.passing, thread, result.fails_at);
    }
  }
  return true;
}

// The first k events of the failing run, then the passing one's intervals as far as they are still to be done.
Plan spliced(const Trace& failing, const Trace& passing, uint64_t k, const Limits& limits) {
  Schedule schedule;
  for (size_t i = 0; i < k && i < failing.events().size(); ++i) {
    const Event& e = failing.events()[i];
    const ThreadId id = failing.thread_id(e);
    if (schedule.empty() || schedule.back().thread != id) schedule.push_back({id, e.number, e.number});
    schedule.back().last = e.number;
  }
  const Schedule rest = schedule_of(passing);
  schedule.insert(schedule.end(), rest.begin(), rest.end());
  return plan_for(schedule, k == 0 ? passing : failing, limits);
}

void by_splicing(const Trace& failing, const Trace& passing, IsolateRuns& runs, IsolateResult& result) {
  const size_t common = first_difference(failing, passing);
  const Times pass = {std::min(common, failing.events().size())}, fail = {failing.events().size()};
  auto plan = [&](const Times& t) { return spliced(failing, passing, t[0], runs.limits()); };
  result.passing = runs.run(plan(pass));
  if (runs.judge(result.passing) != TestOutcome::kPass) {
    result.why = "the passing schedule does not pass again";
    return;
  }
  result.failing = failing;
  if (pass == fail) {
    result.why = "the two schedules do not differ before the failure";
    return;
  }
  runs.narrow(pass, fail, plan, valid_times, result);
  if (!result.isolated) return;
  result.switch_number = 1;
  result.fails_at = result.delta.failing[0];
  result.passes_at = result.delta.passing[0];
  result.decides_in_passing = false;
  result.decides = result.switch_from = static_cast<size_t>(result.fails_at) - 1;
  if (result.switch_from + 1 < result.failing.events().size()) result.switch_to = result.switch_from + 1;
}

}  // namespace

void isolate_by_identity(const Trace& failing, IsolateRuns& runs, IsolateResult& result) {
  result.by = IsolateBy::kIdentity;
  if (!runs.options().passing && by_moving(failing, runs, result)) return;
  if (runs.options().passing) {
    by_splicing(failing, *runs.options().passing, runs, result);
    return;
  }
  Plan sequential = plan_for({}, failing, runs.limits());
  sequential.choices.clear();
  const Trace trace = runs.run(sequential);
  if (runs.judge(trace) != TestOutcome::kPass) {
    result.why = "no passing schedule was found: the program also fails without preemptions";
    return;
  }
  by_splicing(failing, trace, runs, result);
}

}  // namespace heddle::simplify
