#include "policy/policies.h"

namespace heddle {

// The non-preemptive, fair schedule: the tail of every relaxed replay (Tinertia 4.2.1) and the sequential run of LEAN 2.2.
uint32_t pick_stay(PolicyState& state, const Moment& m) {
  if (m.current != kNobody && m.threads[m.current].ready == Ready::kYes && !m.threads[m.current].gave_way) return m.current;
  return oldest_eligible(state, m);
}

}  // namespace heddle
