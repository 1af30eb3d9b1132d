#include "policy/policies.h"

namespace heddle::policy {

namespace {

// Race-directed random testing (Sen, PLDI 2008, algorithm 1; with lock contentions as races: Jalbert & Sen 2010, section 5). A thread that
// comes to a marked operation waits there until another comes to one that races with it; then a coin says who goes first and the other
// goes on waiting. When all wait, one is let go.
uint32_t pick_race(PolicyState& state, const PointView& m) {
  const PolicySpec& spec = state.plan.header->tail;
  const uint64_t draw = mix(spec.seed, m.step);
  auto held = [&](uint32_t i) {
    const Candidate& c = m.threads[i];
    return state.threads[c.slot].priority != static_cast<int64_t>(c.number) && marked(state, c);
  };
  auto release = [&](uint32_t i) {
    if (i != kNobody) state.threads[m.threads[i].slot].priority = static_cast<int64_t>(m.threads[i].number);
    return i;
  };
  // The pair that meets: of all, the one that starts with the held thread drawn first.
  for (uint32_t offset = 0; offset < m.count; ++offset) {
    const uint32_t a = static_cast<uint32_t>((draw + offset) % m.count);
    if (!held(a) || !drawable(state, m, a)) continue;
    const uint32_t b = draw_one(
        m, draw >> 20, [&](uint32_t i) { return i != a && racing(m.threads[a], m.threads[i]) && held(i) && drawable(state, m, i); });
    if (b != kNobody) return release((draw >> 40 & 1) != 0 ? a : b);
  }
  if (m.current != kNobody && !held(m.current) && drawable(state, m, m.current) && (draw & 0xFFFF) < spec.stay) return m.current;
  const uint32_t free = draw_one(m, draw >> 16, [&](uint32_t i) { return !held(i) && drawable(state, m, i); });
  if (free != kNobody) return free;
  return release(draw_one(m, draw >> 16, [&](uint32_t i) { return drawable(state, m, i); }));
}

constexpr PolicyRow kRacePolicy{PolicyKind::kRace, "race", true, pick_race, nullptr};
HEDDLE_ROW(policies, kRacePolicy);

}  // namespace

}  // namespace heddle::policy
