#include "simplify/predict.h"

#include <algorithm>

#include "policy/policies.h"

namespace heddle::simplify {

// One run in the head. Where the model does not know whether a thread may go on, the simulation gives up (unknown_).
class Simulation {
 public:
  explicit Simulation(const Predictor& p)
      : p_(p), walk_(p.trace_), now_(p.objects_.start()), position_(p.own_.size()), last_step_(p.own_.size()) {}

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
    if (!now_.threads[t].live) return false;
    if (!has(e.op, kBlocks)) return true;
    switch (now_.ready(e.op, p_.objects_.asker(t, e.op, e.object))) {
      case Ready::kYes: return true;
      case Ready::kNo: return false;
      // Its time-out may fire where it did; elsewhere it goes on waiting.
      case Ready::kTimeout: return (e.flags & kTimedOut) != 0 && (available(i) || give_up());
      case Ready::kUnknown: return available(i) || give_up();
    }
    return false;
  }

  bool give_up() {
    unknown_ = true;
    return false;
  }
  bool done(uint32_t event) const {
    const Event& e = p_.trace_.events()[event];
    return position_[e.thread] >= e.number;
  }
  bool available(size_t event) const {
    for (uint32_t p : p_.dependence_.before(event)) {
      if (!done(p)) return false;
    }
    return true;
  }

  // The fair, non-preemptive tail.
  uint32_t tail() {
    if (current_ != kNoIndex && stays(ready(current_) ? Ready::kYes : Ready::kNo, gave_way_)) return current_;
    candidates_.clear();
    PointView m{};
    m.current = kNobody;
    for (uint32_t t = 0; t < position_.size() && !unknown_; ++t) {
      Candidate c{};
      c.slot = t;
      c.ready = ready(t) ? Ready::kYes : Ready::kNo;
      c.gave_way = gave_way_ && t == current_;
      c.last_step = last_step_[t];
      if (t == current_) m.current = t;
      candidates_.push_back(c);
    }
    m.threads = candidates_.data();
    m.count = static_cast<uint32_t>(candidates_.size());
    PolicyState state{};
    const uint32_t chosen = unknown_ ? kNobody : policy_row(PolicyKind::kStay).pick(state, m);
    return chosen == kNobody ? kNoIndex : candidates_[chosen].slot;
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
    if (!is_memory(e.op)) now_.apply(p_.objects_.happening(i));
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
  RunState now_;
  std::vector<size_t> position_;
  std::vector<uint64_t> last_step_;
  std::vector<Candidate> candidates_;
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

Predictor::Predictor(const Trace& trace) : trace_(trace), dependence_(trace), objects_(trace), own_(trace.threads().size()) {
  for (size_t i = 0; i < trace.events().size(); ++i) own_[trace.events()[i].thread].push_back(i);
  bug_.assign(trace.events().size(), false);
  for (size_t i : bug_events(trace)) bug_[i] = true;
  bug_count_ = static_cast<size_t>(std::count(bug_.begin(), bug_.end(), true));
}

Prediction Predictor::predict(const Schedule& schedule) const { return Simulation(*this).go(schedule); }

}  // namespace heddle::simplify
