#include <algorithm>
#include <cmath>
#include <numbers>

#include "search/make.h"

namespace heddle::search {

namespace {

// Alternate schedules by fuzzing (Choi & Zeller 2002, section 5): the clock time of each switch of a given run is moved by a Gaussian; the
// spread is narrow at first and widens while the outcome does not change. The times are played back over the first-in first-out dispatch queue of
// section 3.3, without which they would mean nothing. Without a given run, one of that queue with a fixed quantum is the start.
class Gaussian final : public Search {
 public:
  explicit Gaussian(const SearchOptions& options) : options_(options) {
    if (options_.around) learn(*options_.around);
  }

  std::optional<Plan> propose() override {
    Plan plan = plan_with(options_, PolicyKind::kFifo, next_);
    if (times_.empty()) {
      if (next_ > 0 && !learnt_) return std::nullopt;
      // Nothing was preempted yet: ever shorter quanta, down to a switch before each operation.
      plan.tail.quantum = std::max<uint64_t>(1, kFirstQuantum >> std::min<uint64_t>(next_, 10));
      ++next_;
      return plan;
    }
    const uint64_t widened = round_ / kEach;
    const double spread = kNarrow * std::pow(kWiden, static_cast<double>(widened));
    for (size_t i = 0; i < times_.size(); ++i) {
      const double moved = static_cast<double>(times_[i]) + spread * normal(i);
      plan.steps.push_back(static_cast<uint64_t>(std::max(1.0, std::round(moved))));
    }
    std::sort(plan.steps.begin(), plan.steps.end());
    ++round_;
    ++next_;
    // Wider than the whole run is no perturbation any more: begin again.
    if (spread > static_cast<double>(length_)) round_ = 0;
    return plan;
  }

  void observe(size_t, const Trace& trace) override {
    if (times_.empty()) learn(trace);
  }

 private:
  static constexpr double kNarrow = 1.0;
  static constexpr double kWiden = 1.5;
  static constexpr uint64_t kFirstQuantum = 64;
  static constexpr uint64_t kEach = 4;  // runs for each spread

  void learn(const Trace& trace) {
    learnt_ = true;
    length_ = std::max<uint64_t>(1, trace.events().size());
    for (const TraceSlice& s : trace.slices()) {
      if (s.preempted) times_.push_back(s.end + 1);
    }
  }

  // Box & Muller 1958.
  double normal(size_t i) const {
    const uint64_t base = mix(mix(options_.seed, next_), i);
    const double u = (static_cast<double>(mix(base, 1) >> 11) + 1) * 0x1p-53;
    const double v = static_cast<double>(mix(base, 2) >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

  SearchOptions options_;
  std::vector<uint64_t> times_;  // of preemptive switches: the step that another thread gets
  uint64_t length_ = 1;
  uint64_t next_ = 0;
  uint64_t round_ = 0;
  bool learnt_ = false;
};

constexpr SearchRow kGaussianSearch{
    150, "gaussian", "moves the switches of a run a little, then more", "Choi & Zeller 2002, section 5",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Gaussian>(options); }};
HEDDLE_ROW(searches, kGaussianSearch);

}  // namespace

}  // namespace heddle::search
