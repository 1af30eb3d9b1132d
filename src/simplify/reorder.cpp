// Static pre-simplification (after SimTrace: Huang & Zhang, SAS 2011): independent neighbours change places on the trace alone until
// intervals merge, and what the bug does not depend on is left out. No executions but the one that validates the result.
#include "simplify/budget.h"
#include "simplify/linearise.h"
#include "simplify/simplify.h"

namespace heddle::simplify {

namespace {

constexpr const char* kReorder = "reorder-independent";
constexpr uint64_t kUnseenDependences = 0x7E11;  // among the rejected orders
constexpr size_t kOrders = 2;                    // tried before giving up: the first fails only where the trace did not tell a dependence
constexpr size_t kRepeats = 2;                   // a validated order may show a shorter one: it ended earlier

class Reorder final : public Pass {
 public:
  explicit Reorder(const PassInput& input) : best_(input.best), limits_(run_limits(input)), rejected_(input.rejected) {
    if (!rejected_.contains(kUnseenDependences)) look();
  }

  std::optional<Proposal> propose() override {
    if (waiting_ || next_ >= orders_.size()) return std::nullopt;
    const LinearOrder& order = orders_[next_++];
    const Counts now = best_.counts();
    if (std::tie(order.preemptions, order.switches, order.events) >= std::tie(now.preemptions, now.switches, now.events))
      return std::nullopt;
    waiting_ = true;
    Proposal p;
    p.plan = plan_for(order.schedule, best_, limits_);
    p.operation = kReorder;
    p.planned_switches = order.switches;
    return p;
  }

  bool observe(const Proposal&, const Trace& trace, bool fails) override {
    waiting_ = false;
    // The threads of this program meet in ways that its traces do not tell: what is put together on paper is not worth a run.
    if (!fails && next_ >= orders_.size()) rejected_.insert(kUnseenDependences);
    if (!fails || !simpler(trace.counts(), best_.counts())) return false;
    best_ = trace;
    if (++rounds_ < kRepeats) {
      look();
    } else {
      orders_.clear();
    }
    return true;
  }

 private:
  void look() {
    orders_ = linear_orders(best_, Dependence(best_), kOrders);
    next_ = 0;
  }

  Trace best_;
  Limits limits_;
  std::unordered_set<uint64_t>& rejected_;
  std::vector<LinearOrder> orders_;
  size_t next_ = 0;
  size_t rounds_ = 0;
  bool waiting_ = false;
};

constexpr PassRow kReorderPass{
    .rank = 20,
    .name = "reorder",
    .words = "swap independent neighbours on the trace until intervals merge; one run",
    .paper = "Huang & Zhang, SAS 2011 (SimTrace)",
    .in_default = true,
    .on_paper = true,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Reorder>(input); },
};
HEDDLE_ROW(passes, kReorderPass);

}  // namespace

}  // namespace heddle::simplify
