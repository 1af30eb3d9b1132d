#include "policy/policies.h"

namespace heddle::policy {

namespace {

// The non-preemptive, fair schedule: the tail of every relaxed replay (Tinertia 4.2.1) and the sequential run of LEAN 2.2.
uint32_t pick_stay(PolicyState& state, const PointView& m) {
  if (m.current != kNobody && stays(m.threads[m.current].ready, m.threads[m.current].gave_way)) return m.current;
  return oldest_eligible(state, m);
}

constexpr PolicyRow kStayPolicy{PolicyKind::kStay, "stay", false, pick_stay, [](const PolicyState&, uint64_t) { return true; }, true};
HEDDLE_ROW(policies, kStayPolicy);

}  // namespace

}  // namespace heddle::policy
