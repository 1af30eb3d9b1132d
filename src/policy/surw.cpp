#include "policy/policies.h"

namespace heddle::policy {

namespace {

// A weight row's count: its thread's selected events in the low half, its parent's row + 1 in the high half. The share of a thread that is
// not born yet belongs to its nearest ancestor that is.
uint64_t own_events(const Weight& w) { return w.count & 0xFFFFFFFF; }
uint32_t parent_row(const Weight& w) { return static_cast<uint32_t>(w.count >> 32); }

class Weights {
 public:
  Weights(PolicyState& state, const PointView& m) : state_(state), m_(m), rows_(state.plan.header->weight_count) {}

  uint32_t row_of(uint32_t candidate) {
    const Candidate& c = m_.threads[candidate];
    uint32_t& row = state_.threads[c.slot].row;
    if (row == 0) {
      row = kNoRow;
      for (uint32_t i = 0; i < rows_; ++i) {
        // Rows are written in order of creation: the thread's own slot is the likely place.
        const uint32_t at = (c.slot + i) % rows_;
        if (state_.plan.weights[at].thread != c.thread) continue;
        row = at + 1;
        born(at);
        break;
      }
    }
    return row;
  }

  // What the thread itself and its unborn descendants still have to do.
  uint64_t share(uint32_t row) const {
    uint64_t sum = left(row);
    for (uint32_t i = 0; i < rows_; ++i) {
      if (i != row && state_.threads[i].resets == 0 && nearest_born(i) == row) sum += left(i);
    }
    return sum;
  }

 private:
  uint64_t left(uint32_t row) const {
    const uint64_t all = own_events(state_.plan.weights[row]);
    const uint64_t used = state_.threads[row].used;
    return all > used ? all - used : 0;
  }
  uint32_t nearest_born(uint32_t row) const {
    for (uint32_t hops = 0; hops < rows_ && row < rows_; ++hops) {
      if (state_.threads[row].resets != 0) return row;
      row = parent_row(state_.plan.weights[row]) - 1;
    }
    return kNoRow;
  }
  // A birth divides the parent's share: the intention goes to the child in proportion to what is its own.
  void born(uint32_t row) {
    const uint32_t parent = nearest_born(row);
    const bool intended = parent != kNoRow && state_.intended == parent + 1;
    const uint64_t whole = intended ? share(parent) : 0;
    state_.threads[row].resets = 1;
    if (whole > 0 && mix(mix(state_.plan.header->tail.seed, 0xB0A2), state_.plan.weights[row].thread) % whole < share(row))
      state_.intended = row + 1;
  }

  PolicyState& state_;
  const PointView& m_;
  uint32_t rows_;
};

// Selectively uniform random walk (Zhao, Wolff, Mathur & Roychoudhury, ASPLOS 2025): the thread of the next selected event is drawn in
// proportion to the selected events that each still has, so that all their interleavings are equally likely; the others run freely
// up to their next selected event and wait there.
uint32_t pick_surw(PolicyState& state, const PointView& m) {
  const PlanHeader& plan = *state.plan.header;
  const uint64_t draw = mix(plan.tail.seed, m.step);
  auto selected = [&](uint32_t i) { return plan.mark_count == 0 || marked(state, m.threads[i]); };
  Weights weights(state, m);
  uint64_t total = 0;
  bool alive = false;
  for (uint32_t i = 0; i < m.count; ++i) {
    const uint32_t row = weights.row_of(i);
    alive = alive || (row != kNoRow && row == state.intended);
  }
  if (!alive) state.intended = 0;
  if (state.intended == 0) {
    for (uint32_t i = 0; i < m.count; ++i) {
      const uint32_t row = weights.row_of(i);
      if (row != kNoRow) total += weights.share(row - 1);
    }
    uint64_t left = total > 0 ? (draw >> 20) % total : 0;
    for (uint32_t i = 0; i < m.count && total > 0; ++i) {
      const uint32_t row = weights.row_of(i);
      const uint64_t share = row != kNoRow ? weights.share(row - 1) : 0;
      if (left < share) {
        state.intended = row;
        break;
      }
      left -= share;
    }
  }
  auto free = [&](uint32_t i) {
    if (!drawable(state, m, i)) return false;
    return !selected(i) || state.intended == 0 || weights.row_of(i) == state.intended;
  };
  uint32_t pick = draw_one(m, draw, free);
  if (pick == kNobody) {
    // The intended thread is blocked by one that waits at its selected event.
    pick = draw_one(m, draw, [&](uint32_t i) { return drawable(state, m, i); });
    state.intended = 0;
  }
  if (selected(pick)) {
    const uint32_t row = weights.row_of(pick);
    if (row != kNoRow) ++state.threads[row - 1].used;
    if (row == state.intended) state.intended = 0;
  }
  return pick;
}

constexpr PolicyRow kSurwPolicy{PolicyKind::kSurw, "surw", true, pick_surw, nullptr};
HEDDLE_ROW(policies, kSurwPolicy);

}  // namespace

}  // namespace heddle::policy
