#include "policy/policies.h"

namespace heddle {

namespace {

// What an ordinary machine gives: each thread runs for a quantum of operations, drawn between half and one and a half times the nominal one.
uint32_t pick_time_slice(PolicyState& state, const Moment& m) {
  const PolicySpec& spec = state.plan.header->tail;
  const uint64_t nominal = spec.quantum ? spec.quantum : 1000;
  const uint64_t quantum = nominal / 2 + mix(spec.seed, state.quantum_start) % (nominal + 1);
  const bool current_runs = m.current != kNobody && m.threads[m.current].ready == Ready::kYes && !m.threads[m.current].gave_way;
  if (current_runs && m.step < state.quantum_start + quantum) return m.current;
  state.quantum_start = m.step;
  return oldest_eligible(state, m);
}

constexpr PolicyRow kTimeSlicePolicy{PolicyKind::kTimeSlice, "timeslice", false, pick_time_slice,
                                     [](const PolicyState& state, uint64_t step) {
                                       return step < state.quantum_start + (state.tail.quantum ? state.tail.quantum : 1000) / 2;
                                     }};
HEDDLE_ROW(policies, kTimeSlicePolicy);

}  // namespace

}  // namespace heddle
