#include "policy/policies.h"

namespace heddle::policy {

namespace {

// What an ordinary machine gives: each thread runs for a quantum of operations, drawn between half and one and a half times the nominal one.
uint64_t quantum_end(const PolicyState& state) {
  const uint64_t nominal = state.tail.quantum ? state.tail.quantum : 1000;
  return state.quantum_start + nominal / 2 + mix(state.tail.seed, state.quantum_start) % (nominal + 1);
}

uint32_t pick_time_slice(PolicyState& state, const PointView& m) {
  if (state.quantum_end == 0) state.quantum_end = quantum_end(state);
  const bool current_runs = m.current != kNobody && m.threads[m.current].ready == Ready::kYes && !m.threads[m.current].gave_way;
  if (current_runs && m.step < state.quantum_end) return m.current;
  state.quantum_start = m.step;
  state.quantum_end = quantum_end(state);
  return oldest_eligible(state, m);
}

constexpr PolicyRow kTimeSlicePolicy{PolicyKind::kTimeSlice,
                                     "slice",
                                     false,
                                     pick_time_slice,
                                     [](const PolicyState& state, uint64_t step) { return step < state.quantum_end; },
                                     true};
HEDDLE_ROW(policies, kTimeSlicePolicy);

}  // namespace

}  // namespace heddle::policy
