#include "search/bounded.h"

#include <algorithm>

#include <fmt/format.h>

#include "policy/point_view.h"
#include "search/fairness.h"
#include "search/make.h"
#include "trace/happens_before.h"
#include "trace/sight.h"

namespace heddle::search {

namespace {

std::vector<uint32_t> enabled_threads(const std::vector<PendingOperation>& pending_operations) {
  std::vector<uint32_t> enabled;
  for (const PendingOperation& s : pending_operations) {
    if (s.ready == Ready::kYes || s.ready == Ready::kUnknown) enabled.push_back(s.thread);
  }
  return enabled;
}

}  // namespace

Bounded::Bounded(const SearchOptions& options, uint32_t bound, Reduction reduction)
    : options_(options), bound_(bound), reduction_(reduction), waiting_(bound + 1) {
  account_.reduced = reduction != Reduction::kNone;
  waiting_[0].push_back({});
}

Plan Bounded::plan_for(const Item& item) const {
  Plan plan = plan_with(options_, PolicyKind::kStay, 0);
  plan.tail.early = plan.tail.spurious = 0;
  // A run that cannot follow its prefix must say so: it would be some other schedule, counted twice.
  plan.strictness = Strictness::kStrict;
  if (item.trace) follow(plan, *item.trace, item.position);
  if (!item.choice.empty())
    std::erase_if(plan.choices, [&](const Choice& c) { return c.thread == item.choice[0].thread && c.number == item.choice[0].number; });
  if (item.slice.thread != kNoThread) append(plan.slices, item.slice.thread, item.slice.until);
  plan.choices.insert(plan.choices.end(), item.choice.begin(), item.choice.end());
  plan.sort_choices();
  return plan;
}

std::optional<Plan> Bounded::propose() {
  while (level_ <= bound_) {
    if (!waiting_[level_].empty()) {
      Item item = std::move(waiting_[level_].back());
      waiting_[level_].pop_back();
      if (item.key != 0 && !enter(item.key)) {
        ++account_.pruned;
        continue;
      }
      Plan plan = plan_for(item);
      in_flight_.push_back(std::move(item));
      return plan;
    }
    // What is in flight may still bring work of this level.
    if (!in_flight_.empty()) return std::nullopt;
    account_.complete = ++level_;
  }
  account_.exhausted = true;
  return std::nullopt;
}

bool Bounded::enter(uint64_t key) { return !account_.reduced || entered_.insert(key).second; }

bool Bounded::allows_reduction(const Trace& trace) {
  if (account_.unseen.empty()) account_.unseen = unseen(trace);
  return !has_timed_operations(trace) && (account_.unseen.empty() || reduction_ == Reduction::kAssumed);
}

void Bounded::restart_without_reduction() {
  account_ = {};
  entered_.clear();
  for (auto& level : waiting_) level.clear();
  stale_ = in_flight_.size();
  level_ = 0;
  waiting_[0].push_back({});
}

void Bounded::observe(size_t, const Trace& trace) {
  const Item item = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (stale_ > 0) {
    --stale_;
    return;
  }
  if (trace.outcome().kind == OutcomeKind::kDiverged) {
    ++(item.uncertain ? account_.infeasible : account_.unexpected);
    return;
  }
  if (account_.reduced && !allows_reduction(trace)) return restart_without_reduction();
  // How long a wait may take is known when it has been ended.
  if (ends_far_too_early(trace)) {
    ++account_.outside;
    return;
  }
  ++account_.schedules;
  if (is_inconclusive(trace.outcome())) inconclusive_ = true;
  for (const Event& e : trace.events()) sites_.insert(e.site);
  account_.sites = sites_.size();
  account_.others = account_.others || starts_others(trace);
  expand(item, std::make_shared<const Trace>(trace));
}

void Bounded::branch_to(const Branch& at, const PendingOperation& other) {
  const uint32_t price = at.cost + (at.costs && other.thread != at.current ? 1 : 0);
  if (price > bound_) return;
  const ThreadId id = at.trace->threads()[other.thread].id;
  if (account_.reduced && entered_.contains(mix(at.state, id))) {
    ++account_.pruned;
    return;
  }
  const bool unknown = other.ready == Ready::kUnknown;
  Item next{at.trace, at.position, {id, other.number}, {}, at.position + 1, at.item.early, unknown, mix(at.state, id)};
  Item timing_out = next;
  timing_out.choice = {{id, other.number, kChoiceTimeout}};
  ++timing_out.early;
  // Where nobody can tell whether it could go on by itself, both are tried.
  if (unknown && has(other.op, kTimed) && at.item.early < options_.early_timeouts) waiting_[price].push_back(timing_out);
  waiting_[price].push_back(other.ready == Ready::kTimeout ? std::move(timing_out) : std::move(next));
}

// The event at the position chose among those who could be woken: the others could have been, too.
void Bounded::branch_to_waiters(const Branch& at, const EnabledWalk& walk, uint32_t cost) {
  const Trace& trace = *at.trace;
  const Event& e = trace.events()[at.position];
  if (e.op != Op::kCondSignal) {
    if (!has(e.op, kTimed)) ++account_.other_choices;
    return;
  }
  for (uint32_t w : walk.waiters(e.object)) {
    const ThreadId id = trace.threads()[w].id;
    if (id == e.value) continue;
    waiting_[cost].push_back(
        {at.trace, at.position + 1, {}, {{trace.thread_id(e), e.number, id}}, at.position + 1, at.item.early, false, 0});
  }
}

bool Bounded::may_preempt_at(SiteId site) const {
  return options_.preempt_at.empty() || std::binary_search(options_.preempt_at.begin(), options_.preempt_at.end(), site);
}

void Bounded::expand(const Item& item, const std::shared_ptr<const Trace>& shared) {
  const Trace& trace = *shared;
  const auto events = trace.events();
  const std::vector<uint64_t> states = account_.reduced ? order_hashes(trace) : std::vector<uint64_t>{};
  EnabledWalk walk(trace);
  Fairness fairness(trace.threads().size());
  uint32_t cost = 0;  // preemptions so far
  size_t slice = 0;
  std::vector<PendingOperation> pending_operations = walk.pending_operations();
  while (!walk.done()) {
    const size_t p = walk.position();
    const Event& e = events[p];
    const std::vector<uint32_t> enabled = enabled_threads(pending_operations);
    const uint32_t current = p == 0 ? kNoIndex : events[p - 1].thread;
    const bool may_stay = current != kNoIndex && walk.live(current);
    // Is it a preemption to take the processor from the thread that has it?
    bool costs = false;
    bool barred = false;
    for (const PendingOperation& s : pending_operations) {
      if (!may_stay || s.thread != current) continue;
      costs = s.ready == Ready::kYes && !s.gave_way;
      barred = !may_preempt_at(s.site);
    }
    if (p > 0 && current != e.thread) cost += trace.slices()[slice++].preempted ? 1 : 0;
    const uint32_t before = p > 0 && current != e.thread && trace.slices()[slice - 1].preempted ? cost - 1 : cost;
    if (cost > bound_) return;
    const uint64_t state = states.empty() ? 0 : mix(p == 0 ? 0 : states[p - 1], mix(fairness.hash(), item.early));
    if (p >= item.free) {
      const Branch at{item, shared, p, state, current, before, costs};
      if (!enter(mix(state, trace.thread_id(e)))) {
        ++account_.pruned;
        return;
      }
      for (const PendingOperation& s : pending_operations) {
        if (s.thread == e.thread || s.ready == Ready::kNo) continue;
        if (s.ready == Ready::kTimeout && item.early >= options_.early_timeouts) continue;
        if (fairness.behind(s.thread, enabled)) {
          ++account_.unfair;
          continue;
        }
        if (!(barred && costs && s.thread != current)) branch_to(at, s);
      }
      if ((e.flags & kChoice) != 0) branch_to_waiters(at, walk, cost);
    }
    walk.advance();
    pending_operations = walk.pending_operations();
    fairness.step(e, enabled, enabled_threads(pending_operations));
  }
}

std::string Bounded::knowledge() const {
  if (account_.complete == 0 || account_.unexpected > 0 || account_.other_choices > 0 || inconclusive_) return {};
  return fmt::format("All schedules with at most {} preemption{} were executed{} ({} in all); {}.", account_.complete - 1,
                     account_.complete == 2 ? "" : "s",
                     account_.reduced ? ", of those that differ only in the order of independent operations one" : "", account_.schedules,
                     space_words(options_.early_timeouts, account_.unfair > 0));
}

bool ends_far_too_early(const Trace& trace) {
  static constexpr uint64_t kMostUs = kEarlyTimeoutMs * 1'000;
  return std::ranges::any_of(trace.events(), [](const Event& e) { return (e.flags & kEarly) != 0 && e.size > kMostUs; });
}

std::string space_words(uint32_t early_timeouts, bool unfair) {
  std::string words = "sequential consistency, no spurious wake-ups, ";
  words += early_timeouts == 0 ? std::string("time-outs and sleeps end only when nothing else can run")
                               : fmt::format("at most {} time-out{} up to a second before {} time", early_timeouts,
                                             early_timeouts == 1 ? "" : "s", early_timeouts == 1 ? "its" : "their");
  if (unfair) words += fmt::format(", who yields at one place more than {} times then lets the others go first", Fairness::kPatience);
  return words;
}

namespace {

constexpr SearchRow kBoundedSearch{100,
                                   "bounded",
                                   "all schedules, fewest preemptions first",
                                   "Musuvathi & Qadeer 2007, section 3.1; 2008, algorithm 1",
                                   [](const SearchOptions& options) -> std::unique_ptr<Search> {
                                     return std::make_unique<Bounded>(options, options.depth, Reduction::kWhereSeen);
                                   },
                                   true};
HEDDLE_ROW(searches, kBoundedSearch);

}  // namespace

}  // namespace heddle::search
