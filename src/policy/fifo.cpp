#include "policy/policies.h"

namespace heddle::policy {

namespace {

// The dispatcher of Choi & Zeller 2002, section 3.3: ready threads stand in a first-in first-out queue. The running thread is preempted at the clock
// times that the plan lists (and after each quantum, if there is one) and goes to the end of the queue; without this rule clock times
// would not determine a schedule.
//
// Where the plan has marks, the quantum counts operations on marked sites or objects only, and the switch comes before the next of them: threads
// that strictly alternate at each critical section, or each access to the same data, stay in step whatever they do between.
uint32_t pick_fifo(PolicyState& state, const PointView& m) {
  const PlanHeader& plan = *state.plan.header;
  const bool by_marks = plan.mark_count != 0;
  const bool at_mark = by_marks && m.current != kNobody && marked(state, m.threads[m.current]);
  bool preempted = plan.tail.quantum != 0 &&
                   (by_marks ? at_mark && state.last_slot >= plan.tail.quantum : m.step > state.quantum_start + plan.tail.quantum);
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
    if (!preempted && !m.threads[m.current].gave_way) {
      state.last_slot += at_mark ? 1 : 0;
      return m.current;
    }
    // Behind those whom its last operation made ready.
    state.threads[m.threads[m.current].slot].used = 2 * m.step + 1;
  }
  uint32_t head = kNobody;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (!runnable(state, m, i)) continue;
    if (head == kNobody || state.threads[m.threads[i].slot].used < state.threads[m.threads[head].slot].used) head = i;
  }
  state.quantum_start = m.step - 1;
  state.last_slot = by_marks && marked(state, m.threads[head]) ? 1 : 0;
  return head;
}

constexpr PolicyRow kFifoPolicy{PolicyKind::kFifo, "fifo", false, pick_fifo, nullptr};
HEDDLE_ROW(policies, kFifoPolicy);

}  // namespace

}  // namespace heddle::policy
