#include "simplify/orders.h"

#include <algorithm>
#include <utility>

#include "simplify/schedule.h"
#include "trace/happens_before.h"
#include "trace/objects.h"

namespace heddle::simplify {

namespace {

constexpr size_t kMostCandidates = 160;
constexpr size_t kMostParts = 6;                    // more is no explanation
constexpr size_t kTries = 12;                       // runs that must fail before an order is taken to be needless
constexpr size_t kConfirmations = 24;               // of the whole set in the end
constexpr uint32_t kStays[] = {0, 40'000, 58'000};  // of 65,536: how likely a thread goes on

using Order = std::pair<size_t, size_t>;  // the first comes before the second: events, or events().size() + thread for what it stood before

// One random run that keeps the given orders, as far as the recorded operations go.
class Walk {
 public:
  Walk(const Trace& trace, const TraceObjects& objects, const std::vector<std::vector<size_t>>& own)
      : trace_(trace),
        objects_(objects),
        own_(own),
        now_(objects.start()),
        position_(own.size()),
        done_(trace.events().size() + own.size()) {}

  Plan plan(const std::vector<Order>& orders, uint64_t seed, const Limits& limits) {
    std::vector<std::vector<size_t>> needs(done_.size());
    for (const auto& [a, b] : orders) needs[b].push_back(a);
    Schedule schedule;
    const uint32_t stay = kStays[seed % 3];
    uint32_t current = kNoIndex;
    for (uint64_t step = 0;; ++step) {
      std::vector<uint32_t> can;
      for (uint32_t t = 0; t < own_.size(); ++t) {
        if (may_go(t, needs)) can.push_back(t);
      }
      if (can.empty()) break;
      const bool stays = std::find(can.begin(), can.end(), current) != can.end() && mix(mix(seed, step), 1) % 65'536 < stay;
      if (!stays) current = can[mix(mix(seed, step), 2) % can.size()];
      execute(current, schedule);
    }
    Plan plan = plan_for(merged(std::move(schedule)), trace_, limits);
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = seed;
    plan.tail.stay = stay;
    return plan;
  }

 private:
  bool may_go(uint32_t t, const std::vector<std::vector<size_t>>& needs) const {
    if (position_[t] >= own_[t].size() || !now_.threads[t].live) return false;
    const size_t next = own_[t][position_[t]];
    for (size_t need : needs[next]) {
      if (!done_[need]) return false;
    }
    const bool recorded = next < trace_.events().size();
    const Op op = recorded ? trace_.events()[next].op : trace_.threads()[t].pending;
    const ObjectId object = recorded ? trace_.events()[next].object : trace_.threads()[t].object;
    if (!has(op, kBlocks)) return true;
    switch (now_.ready(op, objects_.asker(t, op, object))) {
      case Ready::kYes:
      case Ready::kUnknown: return true;
      case Ready::kNo: return false;
      case Ready::kTimeout: return recorded && (trace_.events()[next].flags & kTimedOut) != 0;
    }
    return false;
  }
  void execute(uint32_t t, Schedule& schedule) {
    const size_t next = own_[t][position_[t]++];
    done_[next] = true;
    const uint64_t number = position_[t];
    schedule.push_back({trace_.threads()[t].id, number, number});
    if (next < trace_.events().size() && !is_memory(trace_.events()[next].op)) now_.apply(objects_.happening(next));
  }

  const Trace& trace_;
  const TraceObjects& objects_;
  const std::vector<std::vector<size_t>>& own_;
  RunState now_;
  std::vector<size_t> position_;
  std::vector<bool> done_;
};

class Finder {
 public:
  explicit Finder(const OrdersInput& in) : in_(in), trace_(in.failing), objects_(in.failing), own_(in.failing.threads().size()) {
    for (size_t i = 0; i < trace_.events().size(); ++i) own_[trace_.events()[i].thread].push_back(i);
    for (uint32_t t = 0; t < own_.size(); ++t) {
      if (trace_.threads()[t].pending != Op::kNone && trace_.threads()[t].state != ThreadState::kFinished && !own_[t].empty())
        own_[t].push_back(trace_.events().size() + t);
    }
  }

  OrdersResult go() {
    const std::vector<Order> all = candidates();
    if (all.empty() || all.size() > kMostCandidates) return {};
    // How what is checked came to be is said by the orders before; that it is checked in between says only that it fails.
    std::vector<Order> orders = without_the_check(all);
    if (orders.empty() || orders.size() == all.size() || !enough(orders, {})) {
      orders = all;
      if (!enough(orders, {})) return {};
    }
    for (size_t size = std::max<size_t>(orders.size() / 2, 1);; size = size / 2) {
      for (size_t begin = 0; begin < orders.size() && !in_.spent();) {
        const size_t end = std::min(begin + size, orders.size());
        std::vector<Order> without,
            left_out(orders.begin() + static_cast<std::ptrdiff_t>(begin), orders.begin() + static_cast<std::ptrdiff_t>(end));
        for (size_t i = 0; i < orders.size(); ++i) {
          if (i < begin || i >= end) without.push_back(orders[i]);
        }
        if (!without.empty() && enough(without, left_out)) {
          orders = std::move(without);
        } else {
          begin = end;
        }
      }
      if (size <= 1) break;
    }
    if (in_.spent() || orders.size() > kMostParts) return {};
    return finished(orders);
  }

 private:
  // Conflicts that another schedule could turn round, the latest first: how a run got to its last steps is often of no matter. What follows
  // from the others and the threads' own order is left out.
  std::vector<Order> candidates() const {
    std::vector<Order> found;
    for (const EventPair& p : reversible_conflicts(trace_, {4'000, 8, 200})) found.push_back({p.first, p.second});
    const auto events = trace_.events();
    for (uint32_t t = 0; t < own_.size(); ++t) {
      if (own_[t].empty() || own_[t].back() < events.size()) continue;
      std::vector<bool> seen(own_.size());
      for (size_t i = events.size(); i-- > 0;) {
        const Event& e = events[i];
        if (e.thread == t || seen[e.thread] || e.object != trace_.threads()[t].object) continue;
        if (!operations_conflict(e.op, trace_.threads()[t].pending)) continue;
        seen[e.thread] = true;
        found.push_back({i, events.size() + t});
      }
    }
    std::sort(found.begin(), found.end(),
              [](const Order& a, const Order& b) { return a.second != b.second ? a.second > b.second : a.first > b.first; });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<Order> kept;
    for (const Order& o : found) {
      const bool implied = std::any_of(found.begin(), found.end(), [&](const Order& p) {
        return p != o && thread_of(p.first) == thread_of(o.first) && thread_of(p.second) == thread_of(o.second) && p.first >= o.first &&
               p.second <= o.second;
      });
      if (!implied) kept.push_back(o);
    }
    // Those of bystanders are left out first: where several sets are enough, that of the threads that came between each other is reported.
    std::stable_partition(kept.begin(), kept.end(), [this](const Order& o) { return !takes_part(o); });
    return kept;
  }
  // Is it an order between the thread that was stopped last and came back, and who ran next?
  bool takes_part(const Order& o) const {
    const auto slices = trace_.slices();
    for (size_t i = slices.size(); i-- > 0;) {
      if (!slices[i].preempted) continue;
      const uint32_t stopped = slices[i].thread;
      const bool back = std::any_of(slices.begin() + static_cast<std::ptrdiff_t>(i) + 1, slices.end(),
                                    [&](const TraceSlice& s) { return s.thread == stopped; });
      if (!back) continue;
      const std::pair<uint32_t, uint32_t> in(stopped, slices[i + 1].thread), order(thread_of(o.first), thread_of(o.second));
      return order == in || order == std::pair(in.second, in.first);
    }
    return true;
  }
  // Without those on what the thread that failed looked at last.
  std::vector<Order> without_the_check(std::vector<Order> orders) const {
    const auto events = trace_.events();
    size_t last = events.size();
    while (last > 0 && events[last - 1].thread != trace_.outcome().thread) --last;
    if (last == 0 || !is_memory(events[last - 1].op) || trace_.outcome().kind == OutcomeKind::kDeadlock) return orders;
    const ObjectId checked = events[last - 1].object;
    std::erase_if(orders, [&](const Order& o) { return o.first < events.size() && events[o.first].object == checked; });
    return orders;
  }
  uint32_t thread_of(size_t event) const {
    return event < trace_.events().size() ? trace_.events()[event].thread : static_cast<uint32_t>(event - trace_.events().size());
  }

  CauseFinder::Pair pair_of(const Order& o) const { return {in_.finder.key(o.first), in_.finder.key(o.second)}; }
  std::vector<CauseFinder::Pair> pairs_of(const std::vector<Order>& orders) const {
    std::vector<CauseFinder::Pair> pairs;
    for (const Order& o : orders) pairs.push_back(pair_of(o));
    return pairs;
  }

  // Does it fail in every run that keeps these orders? `left_out`: turned round one after the other, which is what refutes it soonest.
  bool enough(const std::vector<Order>& orders, const std::vector<Order>& left_out) {
    const auto pairs = pairs_of(orders);
    auto refuted = [&] {
      const CauseSide side = in_.finder.count(pairs);
      return side.passed + side.other > 0;
    };
    if (refuted()) return false;
    for (size_t i = 0; i < kTries && !in_.spent(); i += 4) {
      std::vector<Plan> plans;
      for (size_t k = i; k < i + 4; ++k) {
        std::vector<Order> wanted = orders;
        if (!left_out.empty() && k % 2 == 0) {
          const Order& turned = left_out[(k / 2) % left_out.size()];
          wanted.push_back({turned.second, turned.first});
        }
        plans.push_back(Walk(trace_, objects_, own_).plan(wanted, mix(in_.seed, ++walks_), in_.limits));
      }
      if (in_.run(plans) < plans.size()) return false;
      if (refuted()) return false;
    }
    return !in_.spent();
  }

  CauseEvent event_of(size_t index) const {
    if (index < trace_.events().size()) {
      const Event& e = trace_.events()[index];
      return {trace_.thread_id(e), e.op, e.object, e.site, index};
    }
    const Thread& t = trace_.threads()[thread_of(index)];
    return {t.id, t.pending, t.object, t.site, kNoDifference};
  }

  OrdersResult finished(std::vector<Order> orders) {
    std::sort(orders.begin(), orders.end());
    const auto pairs = pairs_of(orders);
    for (size_t i = 0; i < kConfirmations && !in_.spent(); i += 4) {
      std::vector<Plan> plans;
      for (size_t k = 0; k < 4; ++k) plans.push_back(Walk(trace_, objects_, own_).plan(orders, mix(in_.seed, ++walks_), in_.limits));
      in_.run(plans);
    }
    OrdersResult result;
    result.together = in_.finder.count(pairs);
    if (result.together.failed == 0 || result.together.failed != result.together.orders()) return {};
    for (size_t i = 0; i < orders.size(); ++i) {
      auto rest = pairs;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const CauseSide side = in_.finder.count(rest, &pairs[i]);
      if (side.passed == 0) return {};  // not shown to be necessary
      result.parts.push_back({event_of(orders[i].first), event_of(orders[i].second), side});
    }
    return result;
  }

  const OrdersInput& in_;
  const Trace& trace_;
  const TraceObjects objects_;
  std::vector<std::vector<size_t>> own_;
  uint64_t walks_ = 0;
};

}  // namespace

OrdersResult sufficient_orders(const OrdersInput& input) { return Finder(input).go(); }

}  // namespace heddle::simplify
