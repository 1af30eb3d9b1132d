#include "search/run_length.h"

#include <algorithm>
#include <bit>

namespace heddle::search {

uint64_t luby(uint64_t index) {
  while (!std::has_single_bit(index + 1)) index -= std::bit_floor(index + 1) - 1;
  return (index + 1) / 2;
}

uint64_t RunLength::limit() const {
  const uint64_t unit = std::max(kUnit, kRoom * longest_);
  if (cut_ == 0) return unit;
  if (longest_ == 0 && std::has_single_bit(cut_)) return unit << std::min<uint64_t>(2 * static_cast<uint64_t>(std::bit_width(cut_)), 40);
  return unit * luby(cut_ + 1);
}

void RunLength::observe(const Trace& trace) {
  if (trace.outcome().kind == OutcomeKind::kLimit) {
    ++cut_;
  } else if (trace.outcome().kind != OutcomeKind::kCannotControl) {
    longest_ = std::max(longest_, trace.data().executed);
  }
}

}  // namespace heddle::search
