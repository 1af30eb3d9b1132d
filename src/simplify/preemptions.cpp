// Which preemptions does the bug need? ddmin (Zeller & Hildebrandt, TSE 2002) over the set of the best trace's preemptions. A preemption
// is dropped by letting its thread run on until it blocks or comes to its next kept one; or by not letting it run yet.
#include <deque>

#include "simplify/budget.h"
#include "simplify/passes.h"
#include "simplify/schedule.h"
#include "simplify/window.h"

namespace heddle {

namespace {

constexpr const char* kNoPreemption = "no-preemption";
constexpr const char* kFewer = "fewer-preemptions";
constexpr uint64_t kForever = ~uint64_t{0};

enum class Dropped { kRunsOn, kWaits };

class Preemptions final : public Pass {
 public:
  explicit Preemptions(const PassInput& input) : best_(input.best), limits_(run_limits(input)), suffix_(input.options.suffix) {
    adopt(input.best);
    if (!all_.empty()) {
      queue_.push_back({{}, Dropped::kRunsOn, kNoPreemption});
      queue_.push_back({{}, Dropped::kWaits, kNoPreemption});
    }
    parts_ = 2;
  }

  std::optional<Proposal> propose() override {
    if (queue_.empty() && under_way_ == 0) refill();
    if (queue_.empty()) return std::nullopt;
    const Attempt attempt = std::move(queue_.front());
    queue_.pop_front();
    ++under_way_;
    Proposal p;
    p.plan = plan_for(kept(attempt.keep, attempt.dropped), best_, limits_);
    p.operation = attempt.operation;
    p.planned_switches = best_.switches();
    p.tag = generation_;
    return p;
  }

  bool observe(const Proposal& proposal, const Trace& trace, bool fails) override {
    --under_way_;
    if (!fails || !simpler(trace.counts(), best_.counts())) {
      window_.rejected();
      return false;
    }
    window_.accepted();
    adopt(trace);
    queue_.clear();
    if (proposal.tag == generation_) parts_ = complements_ ? std::max<size_t>(parts_ - 1, 2) : 2;
    complements_ = false;
    exhausted_ = false;
    ++generation_;
    return true;
  }

  size_t window() const override { return window_.size(); }

 private:
  struct Attempt {
    std::vector<size_t> keep;  // slices of the best trace
    Dropped dropped;
    const char* operation;
  };

  void adopt(const Trace& trace) {
    best_ = trace;
    all_.clear();
    const auto slices = trace.slices();
    for (size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].preempted && (suffix_ == 0 || i + suffix_ >= slices.size())) all_.push_back(i);
    }
  }

  // The next tests of ddmin: each part alone, then each complement, then twice as many parts.
  void refill() {
    while (queue_.empty() && !exhausted_ && !all_.empty()) {
      parts_ = std::min(parts_, all_.size());
      if (complements_ || all_.size() < 2) {
        for (size_t i = 0; i < parts_ && all_.size() > 1; ++i) {
          queue_.push_back({without(i), Dropped::kRunsOn, kFewer});
          if (parts_ == all_.size()) queue_.push_back({without(i), Dropped::kWaits, kFewer});
        }
        complements_ = false;
        exhausted_ = parts_ >= all_.size();
        parts_ *= 2;
        // With two parts a complement is the other part, already tested.
        if (parts_ == 4 && !exhausted_) queue_.clear();
      } else {
        // Alone only while parts are large: of many small ones hardly any suffices.
        for (size_t i = 0; i < parts_ && parts_ <= kAloneParts; ++i) queue_.push_back({part(i), Dropped::kRunsOn, kFewer});
        complements_ = true;
      }
    }
  }

  std::vector<size_t> part(size_t i) const {
    return {all_.begin() + static_cast<std::ptrdiff_t>(all_.size() * i / parts_),
            all_.begin() + static_cast<std::ptrdiff_t>(all_.size() * (i + 1) / parts_)};
  }
  std::vector<size_t> without(size_t i) const {
    std::vector<size_t> rest;
    for (size_t j = 0; j < all_.size(); ++j) {
      if (j < all_.size() * i / parts_ || j >= all_.size() * (i + 1) / parts_) rest.push_back(all_[j]);
    }
    return rest;
  }

  Schedule kept(const std::vector<size_t>& keep, Dropped dropped) const {
    const auto slices = best_.slices();
    std::vector<bool> drop(slices.size());
    for (size_t i : all_) drop[i] = true;
    for (size_t i : keep) drop[i] = false;
    Schedule schedule = schedule_of(best_);
    if (dropped == Dropped::kWaits) {
      Schedule rest;
      for (size_t i = 0; i < schedule.size(); ++i) {
        if (!drop[i]) rest.push_back(schedule[i]);
      }
      return merged(std::move(rest));
    }
    std::vector<uint64_t> until(best_.threads().size(), kForever);  // where the thread stops next, seen from the end
    for (size_t i = schedule.size(); i-- > 0;) {
      uint64_t& stop = until[slices[i].thread];
      if (slices[i].preempted && !drop[i]) stop = schedule[i].last;
      schedule[i].last = stop;
    }
    Schedule out;
    for (const Interval& interval : schedule) {
      if (out.empty() || out.back().thread != interval.thread || out.back().last != interval.last) out.push_back(interval);
    }
    return out;
  }

  static constexpr size_t kAloneParts = 8;
  Trace best_;
  Limits limits_;
  size_t suffix_;
  std::vector<size_t> all_;  // preempted slices of the best trace
  std::deque<Attempt> queue_;
  size_t parts_ = 2;
  bool complements_ = false;  // what refill() asks for next
  bool exhausted_ = false;
  size_t under_way_ = 0;
  size_t generation_ = 0;
  Window window_;
};

}  // namespace

std::unique_ptr<Pass> make_preemptions(const PassInput& input) { return std::make_unique<Preemptions>(input); }

}  // namespace heddle
