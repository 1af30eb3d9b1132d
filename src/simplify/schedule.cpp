#include "simplify/schedule.h"

#include "trace/plain_points.h"

namespace heddle::simplify {

Schedule schedule_of(const Trace& trace) {
  Schedule schedule;
  schedule.reserve(trace.slices().size());
  for (const TraceSlice& s : trace.slices()) {
    schedule.push_back({trace.threads()[s.thread].id, trace.events()[s.begin].number, trace.events()[s.end - 1].number});
  }
  return schedule;
}

Schedule merged(Schedule schedule) {
  Schedule out;
  out.reserve(schedule.size());
  for (const Interval& i : schedule) {
    if (i.last < i.first) continue;
    if (!out.empty() && out.back().thread == i.thread) {
      out.back().last = i.last;
    } else {
      out.push_back(i);
    }
  }
  return out;
}

size_t cost(const Schedule& schedule) { return schedule.empty() ? 0 : schedule.size() - 1; }

size_t next_of_thread(const Schedule& schedule, size_t index) {
  for (size_t i = index + 1; i < schedule.size(); ++i) {
    if (schedule[i].thread == schedule[index].thread) return i;
  }
  return kNoInterval;
}

size_t previous_of_thread(const Schedule& schedule, size_t index) {
  for (size_t i = index; i-- > 0;) {
    if (schedule[i].thread == schedule[index].thread) return i;
  }
  return kNoInterval;
}

Schedule remove_interval(Schedule schedule, size_t index) {
  schedule.erase(schedule.begin() + static_cast<std::ptrdiff_t>(index));
  return merged(std::move(schedule));
}

Schedule move_up(Schedule schedule, size_t index) {
  const size_t next = next_of_thread(schedule, index);
  schedule[index].last = schedule[next].last;
  return remove_interval(std::move(schedule), next);
}

Schedule move_up_actions(Schedule schedule, size_t index, uint64_t upto) {
  const size_t next = next_of_thread(schedule, index);
  schedule[index].last = upto;
  schedule[next].first = upto + 1;
  return merged(std::move(schedule));
}

Schedule move_down(Schedule schedule, size_t index) {
  const size_t previous = previous_of_thread(schedule, index);
  schedule[index].first = schedule[previous].first;
  return remove_interval(std::move(schedule), previous);
}

Plan plan_for(const Schedule& schedule, const Trace& like, const Limits& limits) {
  Plan plan;
  plan.strictness = Strictness::kRelaxed;
  plan.limits = limits;
  plan.points = like.data().points;
  plan.points_id = like.data().points_id;
  plan.sites = like.data().sites;
  plan.code = code_of(like, Strictness::kRelaxed);
  plan.env_seed = like.data().env_seed;
  plan.input_id = like.data().input_id;
  plan.skips = like.data().skips;
  if (like.inputs().from_outside()) plan.inputs = like.data().inputs;
  plan.slices.reserve(schedule.size());
  for (const Interval& i : schedule) plan.slices.push_back({i.thread, i.last});
  for (const Event& e : like.events()) {
    if (const auto choice = choice_of(like, e)) plan.choices.push_back(*choice);
  }
  plan.sort_choices();
  return plan;
}

}  // namespace heddle::simplify
