#include "simplify/linearise.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace heddle::simplify {

namespace {

constexpr size_t kWork = 6'000'000;  // events walked over
constexpr size_t kWidest = 48;       // beginnings kept side by side

// A beginning of an order: how far each thread is, and who holds which lock. Small, so that many can be kept.
struct Beginning {
  std::vector<uint32_t> position;  // of each thread, in its own events
  std::vector<uint32_t> owner;     // of each lock, or kNoIndex
  uint32_t current = kNoIndex;
  size_t left = 0;  // needed events
  size_t steps = 0;
  size_t preemptions = 0;
  size_t switches = 0;
  size_t link = kNoInterval;  // its last interval, in Lineariser::links_
};

class Lineariser {
 public:
  Lineariser(const Trace& trace, const Dependence& dependence)
      : trace_(trace), dependence_(dependence), events_(trace.events()), lock_(events_.size(), kNoIndex), own_(trace.threads().size()) {
    needed_ = dependence.past(bug_events(trace));
    HeldLocks locks(trace.threads().size());
    last_needed_.assign(own_.size(), 0);
    for (size_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      if (row(e.op).family == Family::kConditions) {
        if (const ObjectId mutex = locks.mutex_of(e); mutex != kNoObject) lock_[i] = lock_index(mutex);
      } else if (is_lock_request(e.op) || is_unlock(e.op)) {
        lock_[i] = lock_index(e.object);
      }
      locks.step(i, e);
      own_[e.thread].push_back(static_cast<uint32_t>(i));
      if (!needed_[i]) continue;
      ++needed_count_;
      last_needed_[e.thread] = static_cast<uint32_t>(own_[e.thread].size());
    }
    for (const Thread& t : trace.threads()) {
      if (t.state == ThreadState::kBlocked && is_lock_request(t.pending)) lock_index(t.object);
    }
  }

  std::vector<LinearOrder> search() {
    Beginning first;
    first.position.assign(own_.size(), 0);
    first.owner.assign(lock_names_.size(), kNoIndex);
    first.left = needed_count_;
    const size_t width = std::clamp<size_t>(kWork / (events_.size() * own_.size() + 1), 1, kWidest);
    std::vector<Beginning> beam = {std::move(first)};
    std::vector<LinearOrder> ends;
    size_t fewest = ~size_t{0};
    while (!beam.empty()) {
      std::vector<Beginning> longer;
      for (const Beginning& b : beam) {
        if (b.preemptions >= fewest) continue;
        for (uint32_t t = 0; t < own_.size(); ++t) {
          if (!startable(b, t)) continue;
          longer.push_back(b);
          extend(longer.back(), t);
          if (longer.back().left > 0) continue;
          fewest = std::min(fewest, longer.back().preemptions);
          ends.push_back(order_of(longer.back()));
          longer.pop_back();
        }
      }
      beam = best_of(std::move(longer), width);
    }
    return ends;
  }

 private:
  struct Link {
    Interval interval;
    size_t before;
  };

  uint32_t lock_index(ObjectId object) { return lock_names_.try_emplace(object, static_cast<uint32_t>(lock_names_.size())).first->second; }

  bool done(const Beginning& b, uint32_t event) const { return b.position[events_[event].thread] >= events_[event].number; }
  bool available(const Beginning& b, size_t event) const {
    for (uint32_t p : dependence_.before(event)) {
      if (!done(b, p)) return false;
    }
    return true;
  }
  bool startable(const Beginning& b, uint32_t t) const { return b.position[t] < last_needed_[t] && available(b, own_[t][b.position[t]]); }

  void execute(Beginning& b, uint32_t t) const {
    const uint32_t i = own_[t][b.position[t]++];
    const Event& e = events_[i];
    ++b.steps;
    b.left -= needed_[i] ? 1 : 0;
    if (lock_[i] == kNoIndex) return;
    if (is_unlock(e.op)) {
      b.owner[lock_[i]] = kNoIndex;
    } else if (takes_lock(e)) {
      b.owner[lock_[i]] = t;
    } else if (row(e.op).family == Family::kConditions) {
      b.owner[lock_[i]] = has(e.op, kAcquires) ? t : kNoIndex;
    }
  }

  void extend(Beginning& b, uint32_t t) {
    if (b.current != kNoIndex && t != b.current) {
      ++b.switches;
      if (would_continue(b, b.current, b.position[b.current])) ++b.preemptions;
    }
    b.current = t;
    const uint64_t first = events_[own_[t][b.position[t]]].number;
    while (b.left > 0 && b.position[t] < last_needed_[t] && available(b, own_[t][b.position[t]])) execute(b, t);
    if (b.left > 0 && b.position[t] >= last_needed_[t]) finish_if_it_blocks(b, t);
    links_.push_back({{trace_.threads()[t].id, first, events_[own_[t][b.position[t] - 1]].number}, b.link});
    b.link = links_.size() - 1;
  }

  // Would a switch away from the thread, with that many of its events executed, be a preemption?
  bool would_continue(const Beginning& b, uint32_t t, size_t position) const {
    if (position > 0) {
      const Event& last = events_[own_[t][position - 1]];
      if (has(last.op, kYields) || (last.flags & kSpin) != 0 || last.op == Op::kThreadExit) return false;
    }
    if (position >= own_[t].size()) {
      const Thread& thread = trace_.threads()[t];
      if (thread.state != ThreadState::kBlocked) return thread.state == ThreadState::kRunnable;
      // What it waited for in the end may still be free now.
      return is_lock_request(thread.pending) && b.owner[lock_names_.at(thread.object)] == kNoIndex;
    }
    const size_t i = own_[t][position];
    const Event& e = events_[i];
    if (!has(e.op, kBlocks)) return true;
    if (is_lock_request(e.op)) return b.owner[lock_[i]] == kNoIndex;
    return available(b, i);
  }

  // The thread's part in the bug is done. Running it on until it ends or blocks costs events and saves a preemption; none of these events
  // can matter, because nothing that is needed depends on them.
  void finish_if_it_blocks(Beginning& b, uint32_t t) const {
    if (!would_continue(b, t, b.position[t])) return;
    auto reachable = [&](size_t event) {
      for (uint32_t p : dependence_.before(event)) {
        if (!done(b, p) && events_[p].thread != t) return false;
      }
      return true;
    };
    size_t position = b.position[t];
    while (position < own_[t].size() && reachable(own_[t][position])) ++position;
    if (position == b.position[t] || would_continue(b, t, position)) return;
    while (b.position[t] < position) execute(b, t);
  }

  // Beginnings of the same number of intervals: fewer preemptions first, then those that have come further. Of two that lead to the same
  // place the better stays.
  std::vector<Beginning> best_of(std::vector<Beginning> all, size_t width) const {
    std::stable_sort(all.begin(), all.end(), [](const Beginning& a, const Beginning& b) {
      return std::tie(a.preemptions, a.left) < std::tie(b.preemptions, b.left);
    });
    std::vector<Beginning> kept;
    std::unordered_set<uint64_t> seen;
    for (Beginning& b : all) {
      if (kept.size() >= width) break;
      uint64_t name = b.current;
      for (uint32_t p : b.position) name = mix(name, p);
      if (seen.insert(name).second) kept.push_back(std::move(b));
    }
    return kept;
  }

  LinearOrder order_of(const Beginning& b) const {
    LinearOrder out;
    for (size_t at = b.link; at != kNoInterval; at = links_[at].before) out.schedule.push_back(links_[at].interval);
    std::reverse(out.schedule.begin(), out.schedule.end());
    out.preemptions = b.preemptions;
    out.switches = b.switches;
    out.events = b.steps;
    return out;
  }

  const Trace& trace_;
  const Dependence& dependence_;
  std::span<const Event> events_;
  std::vector<uint32_t> lock_;              // that an event takes, gives back or retakes
  std::vector<std::vector<uint32_t>> own_;  // events of each thread
  std::unordered_map<ObjectId, uint32_t> lock_names_;
  std::vector<bool> needed_;
  size_t needed_count_ = 0;
  std::vector<uint32_t> last_needed_;  // how many of its events a thread must execute
  std::vector<Link> links_;
};

}  // namespace

std::vector<LinearOrder> linear_orders(const Trace& trace, const Dependence& dependence, size_t keep) {
  if (trace.events().empty()) return {};
  std::vector<LinearOrder> orders = Lineariser(trace, dependence).search();
  std::stable_sort(orders.begin(), orders.end(), [](const LinearOrder& a, const LinearOrder& b) {
    return std::tie(a.preemptions, a.switches, a.events) < std::tie(b.preemptions, b.switches, b.events);
  });
  std::vector<LinearOrder> distinct;
  for (LinearOrder& order : orders) {
    if (distinct.size() >= keep) break;
    if (distinct.empty() || distinct.back().schedule != order.schedule) distinct.push_back(std::move(order));
  }
  return distinct;
}

}  // namespace heddle::simplify
