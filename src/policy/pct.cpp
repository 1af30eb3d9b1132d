#include "policy/policies.h"

namespace heddle::policy {

namespace {

// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte, ASPLOS 2010, section 3): run the enabled thread of
// highest priority; at each of depth - 1 change points, uniform over the expected length, the running thread falls below all initial
// priorities. A thread that yields or spins falls to the bottom, or a spin loop would run for ever (but see
// forgets_yields).
uint32_t pick_pct(PolicyState& state, const PointView& m) {
  const PolicySpec& spec = state.plan.header->tail;
  if (m.current != kNobody) {
    PolicyThread& current = state.threads[m.threads[m.current].slot];
    if (m.threads[m.current].gave_way && !forgets_yields(state, m.step)) current.priority = --state.lowest;
    for (uint32_t i = 1; i < spec.depth; ++i) {
      const uint64_t change = 1 + mix(mix(spec.seed, 0x9C7), i) % (spec.length ? spec.length : 1);
      if (change == m.step) current.priority = static_cast<int64_t>(spec.depth - i);
    }
  }
  uint32_t best = kNobody;
  int64_t best_priority = 0;
  for (uint32_t i = 0; i < m.count; ++i) {
    int64_t& priority = state.threads[m.threads[i].slot].priority;
    if (priority == 0) priority = static_cast<int64_t>(mix(spec.seed, m.threads[i].thread) >> 2) + spec.depth + 1;
    if (!runnable(state, m, i)) continue;
    if (best == kNobody || priority > best_priority) {
      best = i;
      best_priority = priority;
    }
  }
  return best;
}

constexpr PolicyRow kPctPolicy{PolicyKind::kPct, "pct", true, pick_pct, nullptr, true};
HEDDLE_ROW(policies, kPctPolicy);

}  // namespace

}  // namespace heddle::policy
