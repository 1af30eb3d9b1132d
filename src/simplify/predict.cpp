#include "simplify/predict.h"

#include <algorithm>

namespace heddle {

// One run in the head. Blocking follows the recorded objects; where they do not tell, the simulation gives up (unknown_).
class Simulation {
 public:
  explicit Simulation(const Predictor& p)
      : p_(p), walk_(p.trace_), position_(p.own_.size()), last_step_(p.own_.size()), wait_step_(p.own_.size()) {}

  Prediction go(const Schedule& schedule) {
    Prediction result;
    for (const Interval& i : schedule) {
      const uint32_t t = p_.trace_.thread_index(i.thread);
      if (t == kNoIndex) continue;
      while (!over() && next_number(t) <= i.last && ready(t)) execute(t);
      if (over()) break;
      if (faithful_ && !ended(t) && next_number(t) <= i.last) result.blocked = true;
    }
    result.order = unknown_ ? 0 : mix(order_, current_);
    while (!over() && faithful_) {
      const uint32_t t = tail();
      if (t == kNoIndex) break;
      execute(t);
    }
    result.faithful = !unknown_ && faithful_ && bug_left() == 0;
    result.counts = counts_;
    return result;
  }

 private:
  bool over() const { return unknown_ || bug_left() == 0; }
  size_t bug_left() const { return p_.bug_count_ - bug_done_; }
  bool ended(uint32_t t) const { return position_[t] >= p_.own_[t].size(); }
  size_t next_event(uint32_t t) const { return p_.own_[t][position_[t]]; }
  uint64_t next_number(uint32_t t) const { return position_[t] + 1; }

  // May the thread execute its next recorded event?
  bool ready(uint32_t t) {
    if (ended(t)) {
      // Beyond the record. A thread that stood blocked or had finished at the end stays so as long as the run is faithful.
      if (p_.trace_.threads()[t].state == ThreadState::kRunnable) unknown_ = true;
      return false;
    }
    const size_t i = next_event(t);
    const Event& e = p_.trace_.events()[i];
    if (position_[t] == 0 && t != 0 && !born(i)) return false;
    if (!has(e.op, kBlocks)) return true;
    if (is_lock_request(e.op)) return free(e.object);
    switch (e.op) {
      case Op::kCondReacquire:
      case Op::kCondTimedReacquire: {
        if ((e.flags & kTimedOut) != 0) return available(i) ? true : give_up();
        if (p_.mutex_[i] != kNoObject && !free(p_.mutex_[i])) return false;
        const auto at = signalled_.find(e.object);
        if (at == signalled_.end() || at->second < wait_step_[t]) return false;
        return available(i) ? true : give_up();
      }
      case Op::kSemWait: {
        const auto first = p_.semaphores_.find(e.object);
        const auto now = semaphores_.find(e.object);
        return (first == p_.semaphores_.end() ? 0 : first->second) + (now == semaphores_.end() ? 0 : now->second) > 0;
      }
      case Op::kThreadJoin: return available(i);
      default: return available(i) ? true : give_up();
    }
  }

  bool give_up() {
    unknown_ = true;
    return false;
  }
  bool free(ObjectId object) const {
    const auto at = owner_.find(object);
    return at == owner_.end() || at->second == kNoIndex;
  }
  bool done(uint32_t event) const {
    const Event& e = p_.trace_.events()[event];
    return position_[e.thread] >= e.number;
  }
  bool born(size_t first) const { return available(first); }
  bool available(size_t event) const {
    for (uint32_t p : p_.dependence_.before(event)) {
      if (!done(p)) return false;
    }
    return true;
  }

  // The fair, non-preemptive tail: policy/stay.cpp.
  uint32_t tail() {
    if (current_ != kNoIndex && !gave_way_ && ready(current_)) return current_;
    uint32_t best = kNoIndex;
    for (uint32_t t = 0; t < position_.size() && !unknown_; ++t) {
      if ((gave_way_ && t == current_) || !ready(t)) continue;
      if (best == kNoIndex || last_step_[t] < last_step_[best]) best = t;
    }
    if (best == kNoIndex && gave_way_ && ready(current_)) return current_;
    return unknown_ ? kNoIndex : best;
  }

  void execute(uint32_t t) {
    const size_t i = next_event(t);
    const Event& e = p_.trace_.events()[i];
    if (current_ != t && current_ != kNoIndex) {
      ++counts_.switches;
      const bool finished = ended(current_) && p_.trace_.threads()[current_].state != ThreadState::kRunnable;
      if (!gave_way_ && !finished && (ended(current_) || ready(current_))) ++counts_.preemptions;
    }
    if (position_[t]++ == 0) ++counts_.threads;
    ++counts_.events;
    last_step_[t] = counts_.events;
    current_ = t;
    gave_way_ = has(e.op, kYields) || (e.flags & kSpin) != 0;
    if (takes_lock(e)) owner_[e.object] = t;
    if (is_unlock(e.op)) owner_[e.object] = kNoIndex;
    if (p_.mutex_[i] != kNoObject) owner_[p_.mutex_[i]] = has(e.op, kAcquires) ? t : kNoIndex;
    if (e.op == Op::kCondWait || e.op == Op::kCondTimedWait) wait_step_[t] = counts_.events;
    if (e.op == Op::kCondSignal || e.op == Op::kCondBroadcast) signalled_[e.object] = counts_.events;
    if (e.op == Op::kSemWait) --semaphores_[e.object];
    if (e.op == Op::kSemPost) ++semaphores_[e.object];
    note_class(e, i);
    if (p_.bug_[i]) ++bug_done_;
  }

  void note_class(const Event& e, size_t recorded) {
    predecessors_.clear();
    walk_.step(e, static_cast<uint32_t>(classes_.size()), predecessors_);
    names_.clear();
    for (uint32_t p : predecessors_) names_.push_back(classes_[p]);
    classes_.push_back(class_of(p_.trace_, e, names_));
    order_ += classes_.back();
    // From the first event with another past on the record is a guess: the plan's own part is followed to its end for its class, the
    // tail is not.
    if (classes_.back() != p_.dependence_.event_class(recorded)) faithful_ = false;
  }

  const Predictor& p_;
  DependenceWalk walk_;
  std::vector<size_t> position_;
  std::vector<uint64_t> last_step_;
  std::vector<uint64_t> wait_step_;
  std::unordered_map<ObjectId, uint32_t> owner_;
  std::unordered_map<ObjectId, uint64_t> signalled_;
  std::unordered_map<ObjectId, int64_t> semaphores_;
  std::vector<uint64_t> classes_;
  std::vector<uint32_t> predecessors_;
  std::vector<uint64_t> names_;
  uint64_t order_ = 0;
  uint32_t current_ = kNoIndex;
  bool gave_way_ = false;
  bool faithful_ = true;
  bool unknown_ = false;
  size_t bug_done_ = 0;
  Counts counts_;
};

Predictor::Predictor(const Trace& trace)
    : trace_(trace), dependence_(trace), mutex_(trace.events().size(), kNoObject), own_(trace.threads().size()) {
  HeldLocks locks(trace.threads().size());
  std::unordered_map<ObjectId, int64_t> balance;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    if (row(e.op).family == Family::kConditions) mutex_[i] = locks.mutex_of(e);
    locks.step(i, e);
    own_[e.thread].push_back(i);
    if (e.op == Op::kSemPost) ++balance[e.object];
    if (e.op == Op::kSemWait) semaphores_[e.object] = std::max(semaphores_[e.object], -(--balance[e.object]));
  }
  bug_.assign(trace.events().size(), false);
  for (size_t i : bug_events(trace)) bug_[i] = true;
  bug_count_ = static_cast<size_t>(std::count(bug_.begin(), bug_.end(), true));
}

Prediction Predictor::predict(const Schedule& schedule) const { return Simulation(*this).go(schedule); }

}  // namespace heddle
