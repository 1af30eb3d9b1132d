#include "suite/dealer.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::suite {

namespace {

constexpr uint64_t kFirstSlice = 64;
constexpr uint64_t kLargestSlice = 16'384;
constexpr double kLeastSeconds = 0.001;

// Lower comes first.
std::pair<int, int64_t> rank(const TestHistory& test) { return {test.known_bug ? 0 : test.changed ? 1 : 2, -int64_t{test.missed}}; }

}  // namespace

Dealer::Dealer(const std::vector<TestHistory>& history, uint64_t executions)
    : rows_(history.size()), first_(history.size()), executions_(executions) {
  std::iota(first_.begin(), first_.end(), size_t{0});
  std::stable_sort(first_.begin(), first_.end(), [&](size_t a, size_t b) { return rank(history[a]) < rank(history[b]); });
}

uint64_t Dealer::slice_size(const Row& row) const {
  return executions_ != 0 ? executions_ : std::min(kLargestSlice, kFirstSlice << std::min<size_t>(2 * row.slices, 16));
}

std::optional<Dealt> Dealer::next() {
  if (begun_ < first_.size()) {
    const size_t test = first_[begun_++];
    return Dealt{test, 0, slice_size(rows_[test])};
  }
  // What showed much that is new a short while ago goes first; the time already spent weighs against it, so that nobody starves.
  const Row* best = nullptr;
  double best_score = 0;
  for (const Row& row : rows_) {
    if (row.settled) continue;
    const double score = (1 + row.promise) / std::max(row.seconds, kLeastSeconds);
    if (best == nullptr || score > best_score) {
      best = &row;
      best_score = score;
    }
  }
  if (best == nullptr) return std::nullopt;
  return Dealt{static_cast<size_t>(best - rows_.data()), best->slices, slice_size(*best)};
}

void Dealer::report(const Dealt& dealt, const SliceReport& report) {
  Row& row = rows_[dealt.test];
  ++row.slices;
  row.executions += report.executions;
  row.seconds += report.seconds;
  row.promise = static_cast<double>(report.new_behaviours) / std::max(report.seconds, kLeastSeconds);
  row.settled = report.settled || executions_ != 0 || (report.executions == 0 && !report.cut);
}

}  // namespace heddle::suite
