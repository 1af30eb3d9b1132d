#include "simplify/linearise.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace heddle {

namespace {

enum class NextThread { kEarliest, kLatest, kDemanded, kRandom };

class Lineariser {
 public:
  Lineariser(const Trace& trace, const Dependence& dependence)
      : trace_(trace), dependence_(dependence), events_(trace.events()), mutex_(events_.size(), kNoObject), own_(trace.threads().size()) {
    const std::vector<size_t> bug = bug_events(trace);
    needed_ = dependence.past(bug);
    HeldLocks locks(trace.threads().size());
    for (size_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      mutex_[i] = row(e.op).family == Family::kConditions ? locks.mutex_of(e) : kNoObject;
      locks.step(i, e);
      own_[e.thread].push_back(i);
      needed_count_ += needed_[i] ? 1 : 0;
    }
    last_needed_.assign(own_.size(), 0);
    for (size_t t = 0; t < own_.size(); ++t) {
      for (size_t n = 0; n < own_[t].size(); ++n) {
        if (needed_[own_[t][n]]) last_needed_[t] = n + 1;
      }
    }
  }

  LinearOrder order(NextThread how, bool run_on, uint64_t seed) {
    done_.assign(events_.size(), false);
    position_.assign(own_.size(), 0);
    owner_.clear();
    left_ = needed_count_;
    steps_ = 0;
    LinearOrder out;
    uint32_t current = kNoIndex;
    while (left_ > 0) {
      const uint32_t next = choose(how, current, seed);
      if (next == kNoIndex) return {};
      if (current != kNoIndex && next != current) {
        ++out.switches;
        if (would_continue(current, position_[current])) ++out.preemptions;
      }
      current = next;
      const uint64_t first = events_[own_[current][position_[current]]].number;
      while (left_ > 0 && position_[current] < last_needed_[current] && available(own_[current][position_[current]])) execute(current);
      if (run_on && left_ > 0 && position_[current] >= last_needed_[current]) finish_if_it_blocks(current);
      out.schedule.push_back({trace_.threads()[current].id, first, events_[own_[current][position_[current] - 1]].number});
    }
    out.schedule = merged(std::move(out.schedule));
    out.events = steps_;
    return out;
  }

 private:
  bool available(size_t event) const {
    for (uint32_t p : dependence_.before(event)) {
      if (!done_[p]) return false;
    }
    return true;
  }

  bool startable(uint32_t t) const { return position_[t] < last_needed_[t] && available(own_[t][position_[t]]); }

  void execute(uint32_t t) {
    const size_t i = own_[t][position_[t]++];
    const Event& e = events_[i];
    done_[i] = true;
    ++steps_;
    left_ -= needed_[i] ? 1 : 0;
    if (takes_lock(e)) owner_[e.object] = t;
    if (is_unlock(e.op)) owner_[e.object] = kNoIndex;
    if (mutex_[i] != kNoObject) owner_[mutex_[i]] = has(e.op, kAcquires) ? t : kNoIndex;
  }

  // Would a switch away from the thread, with that many of its events executed, be a preemption?
  bool would_continue(uint32_t t, size_t position) const {
    if (position > 0) {
      const Event& last = events_[own_[t][position - 1]];
      if (has(last.op, kYields) || (last.flags & kSpin) != 0 || last.op == Op::kThreadExit) return false;
    }
    if (position >= own_[t].size()) {
      const ThreadState state = trace_.threads()[t].state;
      return state == ThreadState::kRunnable;
    }
    const size_t i = own_[t][position];
    const Event& e = events_[i];
    if (!has(e.op, kBlocks)) return true;
    if (is_lock_request(e.op)) {
      const auto at = owner_.find(e.object);
      return at == owner_.end() || at->second == kNoIndex;
    }
    return available(i);
  }

  // The thread's part in the bug is done. Running it on until it ends or blocks costs events and saves a preemption; none of these events
  // can matter, because nothing that is needed depends on them.
  void finish_if_it_blocks(uint32_t t) {
    size_t position = position_[t];
    auto reachable = [&](size_t event) {
      for (uint32_t p : dependence_.before(event)) {
        if (!done_[p] && events_[p].thread != t) return false;
      }
      return true;
    };
    while (position < own_[t].size() && reachable(own_[t][position])) ++position;
    if (position == position_[t] || would_continue(t, position)) return;
    while (position_[t] < position) execute(t);
  }

  uint32_t choose(NextThread how, uint32_t current, uint64_t seed) const {
    if (how == NextThread::kDemanded && current != kNoIndex) {
      if (const uint32_t t = demanded(current); t != kNoIndex) return t;
    }
    uint32_t best = kNoIndex;
    uint64_t best_key = 0;
    for (uint32_t t = 0; t < own_.size(); ++t) {
      if (!startable(t)) continue;
      const uint64_t next = own_[t][position_[t]];
      uint64_t key = next;
      if (how == NextThread::kLatest) key = ~next;
      if (how == NextThread::kRandom) key = mix(mix(seed, t), steps_);
      if (best == kNoIndex || key < best_key) {
        best = t;
        best_key = key;
      }
    }
    return best;
  }

  // The thread that has to run for `current` to go on.
  uint32_t demanded(uint32_t current) const {
    uint32_t at = current;
    for (size_t hops = 0; hops < own_.size(); ++hops) {
      if (startable(at)) return at == current ? kNoIndex : at;
      if (position_[at] >= own_[at].size()) return kNoIndex;
      uint32_t next = kNoIndex;
      for (uint32_t p : dependence_.before(own_[at][position_[at]])) {
        if (!done_[p] && events_[p].thread != at) next = events_[p].thread;
      }
      if (next == kNoIndex) return kNoIndex;
      at = next;
    }
    return kNoIndex;
  }

  const Trace& trace_;
  const Dependence& dependence_;
  std::span<const Event> events_;
  std::vector<ObjectId> mutex_;           // that a condition operation gives back or retakes
  std::vector<std::vector<size_t>> own_;  // events of each thread
  std::vector<bool> needed_;
  size_t needed_count_ = 0;
  std::vector<size_t> last_needed_;  // how many of its events a thread must execute
  std::vector<bool> done_;
  std::vector<size_t> position_;
  std::unordered_map<ObjectId, uint32_t> owner_;
  size_t left_ = 0;
  size_t steps_ = 0;
};

constexpr size_t kWork = 4'000'000;  // events walked over, in all attempts

}  // namespace

std::vector<LinearOrder> linear_orders(const Trace& trace, const Dependence& dependence, uint64_t seed, size_t keep) {
  std::vector<LinearOrder> orders;
  if (trace.events().empty()) return orders;
  Lineariser lineariser(trace, dependence);
  auto add = [&](NextThread how, bool run_on, uint64_t s) {
    LinearOrder order = lineariser.order(how, run_on, s);
    if (!order.schedule.empty()) orders.push_back(std::move(order));
  };
  for (bool run_on : {false, true}) {
    add(NextThread::kEarliest, run_on, 0);
    add(NextThread::kLatest, run_on, 0);
    add(NextThread::kDemanded, run_on, 0);
  }
  const size_t attempts = std::clamp<size_t>(kWork / trace.events().size(), 2, 256);
  for (size_t i = 0; i < attempts; ++i) add(NextThread::kRandom, i % 2 == 1, mix(seed, i));
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

}  // namespace heddle
