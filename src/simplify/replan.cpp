// Schedules put together from what each thread did in the best trace (forecast.h), the simplest first, each tried by a run. Where the guess is right, whole
// blocks change places at once, which takes Tinertia's operations many steps through schedules that do not fail.
#include "simplify/budget.h"
#include "simplify/forecast.h"
#include "simplify/simplify.h"

namespace heddle::simplify {

namespace {

constexpr const char* kReplan = "replan";
constexpr size_t kReplanTries = 4;         // in a row without success
constexpr size_t kReplanRounds = 6;        // successes
constexpr size_t kReplanMost = 16;         // preemptions
constexpr size_t kReplanLongest = 20'000;  // events

class Replan final : public Pass {
 public:
  explicit Replan(const PassInput& input) : best_(input.best), limits_(run_limits(input)), rejected_(input.rejected) {
    if (input.options.suffix == 0) look();
  }

  std::optional<Proposal> propose() override {
    if (waiting_) return std::nullopt;
    while (next_ < plans_.size()) {
      const RebuiltOrder& forecast = plans_[next_++];
      name_ = 0x4EB1;
      for (const Interval& i : forecast.order.schedule) name_ = mix(mix(name_, i.thread), i.last);
      if (rejected_.contains(name_)) continue;
      waiting_ = true;
      Proposal p;
      p.plan = plan_of(forecast);
      p.operation = kReplan;
      p.planned_switches = forecast.order.switches;
      return p;
    }
    return std::nullopt;
  }

  bool observe(const Proposal&, const Trace& trace, bool fails) override {
    waiting_ = false;
    if (!fails || !simpler(trace.counts(), best_.counts())) {
      rejected_.insert(name_);
      return false;
    }
    best_ = trace;
    plans_.clear();
    next_ = 0;
    if (++rounds_ < kReplanRounds) look();
    return true;
  }

 private:
  void look() {
    // Of other failures too little is known: what a thread computed decides.
    const bool hopeful = best_.outcome().kind == OutcomeKind::kDeadlock && best_.preemptions() <= kReplanMost;
    if (hopeful && best_.events().size() <= kReplanLongest) plans_ = forecasts(best_, kReplanTries);
    next_ = 0;
  }

  // The choices of a thread that does without a wait move up with its operations.
  Plan plan_of(const RebuiltOrder& forecast) const {
    Plan plan = plan_for(forecast.order.schedule, best_, limits_);
    for (Choice& choice : plan.choices) {
      uint64_t shift = 0;
      for (const AvoidedWait& wait : forecast.avoided) shift += wait.thread == choice.thread && wait.number < choice.number ? 2 : 0;
      choice.number -= shift;
    }
    return plan;
  }

  Trace best_;
  Limits limits_;
  std::unordered_set<uint64_t>& rejected_;
  std::vector<RebuiltOrder> plans_;
  size_t next_ = 0;
  size_t rounds_ = 0;
  uint64_t name_ = 0;
  bool waiting_ = false;
};

constexpr PassRow kReplanPass{
    .rank = 30,
    .name = "replan",
    .words = "put schedules together from what each thread did, and try the simplest",
    .paper = "Huang & Zhang, SAS 2011, with locks in any order",
    .in_default = true,
    .on_paper = true,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Replan>(input); },
};
HEDDLE_ROW(passes, kReplanPass);

}  // namespace

}  // namespace heddle::simplify
