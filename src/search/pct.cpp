#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "search/make.h"
#include "trace/sight.h"

namespace heddle::search {

namespace {

// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte, ASPLOS 2010, section 3). A bug of depth d in a program
// of n threads and k steps is found by one run with probability at least 1 / (n k^(d-1)). Depths take turns, because the depth of an unknown bug is
// unknown: 1, 2, 1, 2, 3, 1, 2, ... up to the bound. k is the longest run seen; the first run is of depth 1, which needs no k.
class Pct final : public Search {
 public:
  explicit Pct(const SearchOptions& options) : options_(options), bound_(std::max<uint32_t>(1, options.depth)), runs_(bound_ + 1) {}

  std::optional<Plan> propose() override {
    if (next_ > 0 && length_ == 0) return std::nullopt;
    Plan plan = plan_with(options_, PolicyKind::kPct, next_);
    plan.tail.depth = static_cast<uint32_t>(1 + next_ % bound_);
    plan.tail.length = std::max<uint64_t>(1, length_);
    proposed_.push_back(plan.tail.depth);
    ++next_;
    return plan;
  }

  void withdraw() override { proposed_.pop_back(); }

  // The promise is about runs that were made and came to an end. The first may have been somebody else's: it is not counted.
  void observe(size_t index, const Trace& trace) override {
    const uint32_t depth = proposed_.front();
    proposed_.pop_front();
    if (index > 0 && !is_inconclusive(trace.outcome())) ++runs_[depth];
    timed_ = timed_ || has_timed_operations(trace);
    length_ = std::max<uint64_t>({length_, trace.data().executed, 1});
    threads_ = std::max(threads_, trace.threads().size());
  }

  std::string knowledge() const override {
    if (length_ == 0) return {};
    std::string text = fmt::format("PCT over {} thread{} and {} steps:", threads_, threads_ == 1 ? "" : "s", length_);
    for (uint32_t d = 1; d <= bound_; ++d) {
      // Independent runs: a bug of this depth escaped all of them with at most this probability.
      const double each = 1.0 / (static_cast<double>(threads_) * std::pow(static_cast<double>(length_), d - 1));
      const double found = 1.0 - std::pow(1.0 - each, static_cast<double>(runs_[d]));
      if (runs_[d] == 0) continue;
      // Rounded down: it is a bound from below, and never a certainty.
      text += fmt::format(" a bug of depth {} is found by its {} run{} with a probability of at least {:.3g};", d, runs_[d],
                          runs_[d] == 1 ? "" : "s", std::min(std::floor(found * 1000) / 1000, 0.999));
    }
    if (text.back() != ';') return {};
    text.back() = '.';
    if (timed_ && options_.early_timeouts == 0)
      text += " Of bugs that need a time-out or a sleep to end while something else can run this says nothing.";
    return text;
  }

 private:
  SearchOptions options_;
  uint32_t bound_;
  std::vector<uint64_t> runs_;     // by depth
  std::deque<uint32_t> proposed_;  // depths of runs not yet observed
  bool timed_ = false;             // the program waits for time to pass
  uint64_t next_ = 0;
  uint64_t length_ = 0;
  size_t threads_ = 1;
};

constexpr SearchRow kPctSearch{50,
                               "pct",
                               "random priorities and d - 1 random change points",
                               "Burckhardt et al. 2010, section 3",
                               [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Pct>(options); },
                               true};
HEDDLE_ROW(searches, kPctSearch);

}  // namespace

}  // namespace heddle::search
