#include "search/imposing.h"

#include "search/make.h"
#include "trace/enabled.h"

namespace heddle::search {

Imposing::Imposing(const SearchOptions& options, Imposed imposed, uint32_t bound, std::function<Trace(const Trace&)> seen)
    : options_(options), imposed_(std::move(imposed)), bound_(bound), seen_(std::move(seen)), waiting_(bound + 1) {
  waiting_[0].push_back({});
}

Plan Imposing::plan_for(const Item& item) const {
  Plan plan = plan_with(options_, PolicyKind::kStay, 0);
  plan.tail.early = plan.tail.spurious = 0;
  plan.strictness = Strictness::kStrict;
  if (item.trace) follow(plan, *item.trace, item.position);
  if (item.slice.thread != kNoThread) append(plan.slices, item.slice.thread, item.slice.until);
  plan.sort_choices();
  return plan;
}

std::optional<Plan> Imposing::propose() {
  while (level_ <= bound_) {
    if (!waiting_[level_].empty()) {
      in_flight_.push_back(std::move(waiting_[level_].back()));
      waiting_[level_].pop_back();
      return plan_for(in_flight_.back());
    }
    if (!in_flight_.empty()) return std::nullopt;
    ++level_;
  }
  account_.exhausted = true;
  return std::nullopt;
}

void Imposing::observe(size_t, const Trace& trace) {
  const Item item = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (trace.outcome().kind != OutcomeKind::kDiverged) expand(item, std::make_shared<const Trace>(seen_(trace)));
}

void Imposing::expand(const Item& item, const std::shared_ptr<const Trace>& shared) {
  const Trace& trace = *shared;
  EnabledWalk walk(trace);
  ImposedState state(imposed_);
  uint32_t cost = 0;
  size_t slice = 0;
  uint64_t kept = 0;
  while (!walk.done()) {
    const size_t p = walk.position();
    const Event& e = trace.events()[p];
    const uint32_t current = p == 0 ? kNoIndex : trace.events()[p - 1].thread;
    bool costs = false;
    bool any_kept = false;
    const std::vector<PendingOperation> pending = walk.pending_operations();
    for (const PendingOperation& s : pending) {
      const bool ready = s.ready == Ready::kYes || s.ready == Ready::kUnknown;
      const bool allowed = state.allows(s.thread, s.op, s.site, s.object);
      any_kept = any_kept || (ready && !allowed);
      if (s.thread == current && walk.live(current)) costs = s.ready == Ready::kYes && !s.gave_way && allowed;
    }
    const uint32_t before = cost;
    const bool breaks = !state.allows(e.thread, e.op, e.site, e.object);
    if (p > 0 && current != e.thread) {
      // A switch away from somebody who had to wait for what is imposed is no preemption.
      cost += trace.slices()[slice++].preempted && costs ? 1 : 0;
    }
    if (cost > bound_ && !breaks) return;
    bool somebody = false;
    for (const PendingOperation& s : pending) {
      const bool ready = s.ready == Ready::kYes || s.ready == Ready::kUnknown;
      if (!ready || s.thread == e.thread || !state.allows(s.thread, s.op, s.site, s.object)) continue;
      somebody = true;
      if (p < item.free && !breaks) continue;
      const uint32_t price = before + (costs && s.thread != current ? 1 : 0);
      if (price <= bound_) waiting_[price].push_back({shared, p, {trace.threads()[s.thread].id, s.number}, p + 1});
    }
    if (breaks) {
      account_.stuck += somebody ? 0 : 1;
      return;
    }
    kept += any_kept ? 1 : 0;
    state.step(e);
    walk.advance();
  }
  ++account_.schedules;
  account_.points += trace.events().size();
  account_.kept_waiting += kept;
}

}  // namespace heddle::search
