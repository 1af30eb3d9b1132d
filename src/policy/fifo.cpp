#include "policy/policies.h"

namespace heddle {

// The dispatcher of Choi & Zeller 2002, section 3.3: ready threads stand in a first-in first-out queue. The running thread is preempted at the clock
// times that the plan lists (and after each quantum, if there is one) and goes to the end of the queue; without this rule clock times
// would not determine a schedule.
uint32_t pick_fifo(PolicyState& state, const Moment& m) {
  const PlanHeader& plan = *state.plan.header;
  bool preempted = plan.tail.quantum != 0 && m.step > state.quantum_start + plan.tail.quantum;
  while (state.next_change < plan.step_count && state.plan.steps[state.next_change] <= m.step) {
    preempted = preempted || state.plan.steps[state.next_change] == m.step;
    ++state.next_change;
  }
  for (uint32_t i = 0; i < m.count; ++i) {
    uint64_t& joined = state.threads[m.threads[i].slot].used;
    if (m.threads[i].ready == Ready::kNo || i == m.current) {
      joined = 0;
    } else if (joined == 0) {
      joined = 2 * m.step;
    }
  }
  if (m.current != kNobody && m.threads[m.current].ready == Ready::kYes) {
    if (!preempted && !m.threads[m.current].gave_way) return m.current;
    // Behind those whom its last operation made ready.
    state.threads[m.threads[m.current].slot].used = 2 * m.step + 1;
  }
  uint32_t head = kNobody;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (!runnable(state, m, i)) continue;
    if (head == kNobody || state.threads[m.threads[i].slot].used < state.threads[m.threads[head].slot].used) head = i;
  }
  state.quantum_start = m.step - 1;
  return head;
}

}  // namespace heddle
