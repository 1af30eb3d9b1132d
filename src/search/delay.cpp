#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "search/bounded.h"
#include "search/make.h"
#include "trace/enabled.h"

namespace heddle::search {

namespace {

// Delay bounding (Emmi, Qadeer & Rakamaric, POPL 2011, section 3): all schedules of a round-robin scheduler with at most so many delays, fewest
// first. A delay changes something only where more than one thread may run.
class Delay final : public Search {
 public:
  explicit Delay(const SearchOptions& options) : options_(options), waiting_(options.depth + 1) { waiting_[0].push_back({}); }

  std::optional<Plan> propose() override {
    while (level_ < waiting_.size()) {
      if (!waiting_[level_].empty()) {
        Plan plan = plan_with(options_, PolicyKind::kDelay, 0);
        plan.steps = waiting_[level_].front();
        waiting_[level_].pop_front();
        plan.tail.depth = static_cast<uint32_t>(plan.steps.size());
        in_flight_.push_back(plan.steps);
        return plan;
      }
      if (!in_flight_.empty()) return std::nullopt;
      complete_ = ++level_;
    }
    return std::nullopt;
  }

  // Further delays come behind the last one, or at the same step while there are threads left to pass over.
  void observe(size_t, const Trace& trace) override {
    const std::vector<uint64_t> steps = std::move(in_flight_.front());
    in_flight_.pop_front();
    ++schedules_;
    if (is_inconclusive(trace.outcome())) inconclusive_ = true;
    if (steps.size() >= options_.depth) return;
    const uint64_t last = steps.empty() ? 0 : steps.back();
    EnabledWalk walk(trace);
    for (; !walk.done(); walk.advance()) {
      const uint64_t step = walk.position() + 1;
      if (step < last) continue;
      uint64_t enabled = 0;
      for (const PendingOperation& s : walk.pending_operations()) enabled += s.ready == Ready::kYes || s.ready == Ready::kUnknown ? 1 : 0;
      const auto here = static_cast<uint64_t>(std::count(steps.begin(), steps.end(), step));
      if (enabled < here + 2) continue;
      std::vector<uint64_t> more = steps;
      more.push_back(step);
      waiting_[more.size()].push_back(std::move(more));
    }
  }

  std::string knowledge() const override {
    if (complete_ == 0 || inconclusive_) return {};
    return fmt::format("All schedules with at most {} delays were executed ({} in all); {}.", complete_ - 1, schedules_,
                       space_words(options_.early_timeouts, false));
  }

 private:
  SearchOptions options_;
  std::vector<std::deque<std::vector<uint64_t>>> waiting_;  // by number of delays
  std::deque<std::vector<uint64_t>> in_flight_;
  size_t level_ = 0;
  size_t complete_ = 0;
  uint64_t schedules_ = 0;
  bool inconclusive_ = false;  // some run said nothing: no claim is made
};

constexpr SearchRow kDelaySearch{120,
                                 "delay",
                                 "all schedules of a round-robin scheduler, fewest delays first",
                                 "Emmi, Qadeer & Rakamaric 2011, section 3",
                                 [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Delay>(options); },
                                 true};
HEDDLE_ROW(searches, kDelaySearch);

}  // namespace

}  // namespace heddle::search
