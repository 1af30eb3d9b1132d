#include "policy/policies.h"

namespace heddle {

// A random walk over the enabled threads. `stay` biases it towards long slices: most bugs need few switches, and an unbiased walk
// over n threads almost never lets one run undisturbed.
uint32_t pick_random(PolicyState& state, const Moment& m) {
  const PolicySpec& spec = state.plan.header->tail;
  const uint64_t draw = mix(spec.seed, m.step);
  if (m.current != kNobody && eligible(state, m, m.current) && (draw & 0xFFFF) < spec.stay) return m.current;
  uint32_t count = 0;
  for (uint32_t i = 0; i < m.count; ++i) count += eligible(state, m, i) ? 1 : 0;
  uint64_t left = (draw >> 16) % count;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (eligible(state, m, i) && left-- == 0) return i;
  }
  return kNobody;
}

}  // namespace heddle
