#include "policy/policies.h"

namespace heddle::policy {

namespace {

// A random walk over the enabled threads. `stay` biases it towards long slices: most bugs need few switches, and an unbiased walk
// over n threads almost never lets one run undisturbed.
uint32_t pick_random(PolicyState& state, const PointView& m) {
  const PolicySpec& spec = state.tail;
  const uint64_t draw = mix(spec.seed, m.step);
  const bool yielded = m.current != kNobody && m.threads[m.current].gave_way;
  if (state.early_left == 0 && m.able_count != 0 && !yielded) {
    // Then they are the eligible. Which of them it is cannot be foreseen, so that nothing here branches on it.
    if ((draw & 0xFFFF) < spec.stay && m.current != kNobody && m.threads[m.current].ready == Ready::kYes) return m.current;
    return m.able[(draw >> 16) % m.able_count];
  }
  if (m.current != kNobody && drawable(state, m, m.current) && (draw & 0xFFFF) < spec.stay) return m.current;
  return draw_one(m, draw >> 16, [&](uint32_t i) { return drawable(state, m, i); });
}

constexpr PolicyRow kRandomPolicy{
    PolicyKind::kRandom,
    "random",
    true,
    pick_random,
    [](const PolicyState& state, uint64_t step) { return state.tail.stay != 0 && (mix(state.tail.seed, step) & 0xFFFF) < state.tail.stay; },
    true};
HEDDLE_ROW(policies, kRandomPolicy);

}  // namespace

}  // namespace heddle::policy
