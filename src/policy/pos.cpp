#include "policy/policies.h"

namespace heddle::policy {

namespace {

// Partial order sampling (Yuan, Yang & Gu, CAV 2018, algorithm 2): every pending operation has a random priority; the highest runs, and
// the operations that race with it draw anew. So every order of the racing operations is likely, however many others lie between.
uint32_t pick_pos(PolicyState& state, const PointView& m) {
  const PolicySpec& spec = state.plan.header->tail;
  uint32_t best = kNobody;
  uint64_t best_priority = 0;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (!drawable(state, m, i)) continue;
    const Candidate& c = m.threads[i];
    const uint64_t priority = mix(mix(spec.seed, c.thread), mix(c.number, state.threads[c.slot].resets));
    if (best != kNobody && priority <= best_priority) continue;
    best = i;
    best_priority = priority;
  }
  if (best == kNobody) return best;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (i != best && racing(m.threads[i], m.threads[best])) ++state.threads[m.threads[i].slot].resets;
  }
  return best;
}

constexpr PolicyRow kPosPolicy{PolicyKind::kPos, "pos", true, pick_pos, nullptr, true};
HEDDLE_ROW(policies, kPosPolicy);

}  // namespace

}  // namespace heddle::policy
