#include "policy/policies.h"

namespace heddle {

// A random walk over the enabled threads. `stay` biases it towards long slices: most bugs need few switches, and an unbiased walk
// over n threads almost never lets one run undisturbed.
uint32_t pick_random(PolicyState& state, const Moment& m) {
  const PolicySpec& spec = state.plan.header->tail;
  const uint64_t draw = mix(spec.seed, m.step);
  if (state.early_left == 0) {
    // The common case: where somebody is enabled who did not just give way, those are the eligible. Which of them it is cannot be
    // foreseen, so nothing here branches on it.
    const auto able = [&](uint32_t i) {
      return static_cast<uint32_t>(m.threads[i].ready == Ready::kYes) & static_cast<uint32_t>(!m.threads[i].gave_way);
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < m.count; ++i) count += able(i);
    if (count != 0) {
      if ((draw & 0xFFFF) < spec.stay && m.current != kNobody && able(m.current) != 0) return m.current;
      const uint64_t left = (draw >> 16) % count;
      uint32_t passed = 0;
      uint32_t index = 0;
      for (uint32_t i = 0; i < m.count; ++i) {
        passed += able(i);
        index += passed <= left ? 1 : 0;
      }
      return index;
    }
  }
  if (m.current != kNobody && eligible(state, m, m.current) && (draw & 0xFFFF) < spec.stay) return m.current;
  return draw_one(m, draw >> 16, [&](uint32_t i) { return eligible(state, m, i); });
}

}  // namespace heddle
