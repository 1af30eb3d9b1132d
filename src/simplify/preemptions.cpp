// Which preemptions does the bug need? Delta debugging over the set of the best trace's preemptions: stretches of them are dropped, long
// ones first (the complement steps of ddmin, Zeller & Hildebrandt, TSE 2002, without its restarts, which cost more runs than they save).
// A dropped preemption lets its thread run on until it blocks or comes to its next kept one; or does not let it run yet.
#include <algorithm>
#include <deque>

#include "simplify/budget.h"
#include "simplify/schedule.h"
#include "simplify/simplify.h"
#include "simplify/window.h"

namespace heddle::simplify {

namespace {

constexpr const char* kNoPreemption = "no-preemption";
constexpr const char* kFewer = "fewer-preemptions";
constexpr size_t kFew = 8;

enum class Dropped { kRunsOn, kWaits };

class Preemptions final : public Pass {
 public:
  explicit Preemptions(const PassInput& input) : best_(input.best), limits_(run_limits(input)), suffix_(input.options.suffix) {
    adopt(input.best);
    size_ = (all_.size() + 1) / 2;
  }

  std::optional<Proposal> propose() override {
    Attempt attempt;
    if (!next_attempt(&attempt)) return std::nullopt;
    attempt.generation = generation_;
    attempts_.push_back(attempt);
    Proposal p;
    p.plan = plan_for(without(attempt), best_, limits_);
    p.operation = attempt.begin == 0 && attempt.end == all_.size() ? kNoPreemption : kFewer;
    p.planned_switches = best_.switches();
    return p;
  }

  bool observe(const Proposal&, const Trace& trace, bool fails) override {
    const Attempt attempt = attempts_.front();
    attempts_.pop_front();
    if (!fails || !simpler(trace.counts(), best_.counts())) {
      window_.rejected();
      return false;
    }
    window_.accepted();
    adopt(trace);
    // What was behind the dropped stretch has come to its place.
    if (attempt.generation == generation_) at_ = attempt.begin;
    size_ = std::min(size_, (all_.size() + 1) / 2);
    ++generation_;
    return true;
  }

  size_t window() const override { return window_.size(); }

 private:
  struct Attempt {
    size_t begin = 0, end = 0;  // of all_: dropped
    Dropped dropped = Dropped::kRunsOn;
    size_t generation = 0;
  };

  bool next_attempt(Attempt* attempt) {
    if (all_.empty()) return false;
    if (all_.size() < 2 && whole_ > 0) return false;  // that one has been tried
    if (whole_ < 2) {
      *attempt = {0, all_.size(), whole_++ == 0 ? Dropped::kRunsOn : Dropped::kWaits, 0};
      return true;
    }
    if (at_ >= all_.size()) {
      if (!attempts_.empty()) return false;
      at_ = 0;
      if (size_ <= (all_.size() <= kFew ? 1 : 2)) {  // single ones of many are left to Tinertia's operations
        size_ = 0;
        return false;
      }
      size_ /= 2;
    }
    if (size_ == 0) return false;
    *attempt = {at_, std::min(at_ + size_, all_.size()), Dropped::kRunsOn, 0};
    at_ = attempt->end;
    return true;
  }

  void adopt(const Trace& trace) {
    best_ = trace;
    all_.clear();
    const auto slices = trace.slices();
    for (size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].preempted && (suffix_ == 0 || i + suffix_ >= slices.size())) all_.push_back(i);
    }
  }

  Schedule without(const Attempt& attempt) const {
    const auto slices = best_.slices();
    std::vector<bool> drop(slices.size());
    for (size_t i = attempt.begin; i < attempt.end; ++i) drop[all_[i]] = true;
    Schedule schedule = schedule_of(best_);
    if (attempt.dropped == Dropped::kWaits) {
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

  Trace best_;
  Limits limits_;
  size_t suffix_;
  std::vector<size_t> all_;       // preempted slices of the best trace
  std::deque<Attempt> attempts_;  // under way
  size_t whole_ = 0;              // tries without any preemption so far
  size_t size_ = 0;               // of the stretches that are dropped
  size_t at_ = 0;                 // where the next begins
  size_t generation_ = 0;
  RunWindow window_;
};

constexpr PassRow kPreemptionsPass{
    .rank = 50,
    .name = "preemptions",
    .words = "delta debugging over the set of preemptions",
    .paper = "Zeller & Hildebrandt, TSE 2002 (ddmin)",
    .in_default = true,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Preemptions>(input); },
};
HEDDLE_ROW(passes, kPreemptionsPass);

}  // namespace

}  // namespace heddle::simplify
