#include "policy/policies.h"

namespace heddle::policy {

namespace {

// The next thread after `slot` in round-robin order that may run.
uint32_t next_in_turn(const PolicyState& state, const PointView& m, uint32_t slot) {
  uint32_t best = kNobody;
  uint32_t first = kNobody;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (!eligible(state, m, i)) continue;
    const uint32_t s = m.threads[i].slot;
    if (first == kNobody || s < m.threads[first].slot) first = i;
    if (s > slot && (best == kNobody || s < m.threads[best].slot)) best = i;
  }
  return best != kNobody ? best : first;
}

// Delay bounding (Emmi, Qadeer & Rakamaric, POPL 2011, section 3): a deterministic scheduler, here round-robin without preemption in order of
// creation, and delays: at each of the plan's steps the thread that would run is passed over. A step that stands twice delays twice.
uint32_t pick_delay(PolicyState& state, const PointView& m) {
  const PlanHeader& plan = *state.plan.header;
  uint32_t choice;
  if (m.current != kNobody && m.threads[m.current].ready == Ready::kYes && !m.threads[m.current].gave_way) {
    choice = m.current;
  } else {
    const uint32_t last = m.current != kNobody ? m.threads[m.current].slot : (state.last_slot != 0 ? state.last_slot - 1 : 0);
    choice = next_in_turn(state, m, last);
  }
  while (state.next_change < plan.step_count && state.plan.steps[state.next_change] <= m.step) {
    if (state.plan.steps[state.next_change] == m.step) choice = next_in_turn(state, m, m.threads[choice].slot);
    ++state.next_change;
  }
  state.last_slot = m.threads[choice].slot + 1;
  return choice;
}

constexpr PolicyRow kDelayPolicy{PolicyKind::kDelay, "delay", true, pick_delay, [](const PolicyState& state, uint64_t step) {
                                   return state.next_change >= state.plan.header->step_count || state.plan.steps[state.next_change] > step;
                                 }};
HEDDLE_ROW(policies, kDelayPolicy);

}  // namespace

}  // namespace heddle::policy
