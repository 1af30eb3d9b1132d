// Tinertia as published: Jalbert & Sen, "A Trace Simplification Technique for Effective Debugging of Concurrent Programs", FSE 2010,
// Algorithm 1 with the operations of 3.3, the approximation of stage two of 4.1 and the validity of 4.2.1. One execution after the other.
// 4.2.1 lets a thread that leaves its expected path run until it rejoins it. A plan counts operations, so that takes further runs here:
// what a run shows of the path corrects the count (Path), interval by interval. Where the run by count is valid already, it is taken.
// A thread that does not rejoin its path within as many operations as were planned is not waited for.
#include <algorithm>

#include "simplify/budget.h"
#include "simplify/schedule.h"
#include "simplify/simplify.h"

namespace heddle::simplify {

namespace {

constexpr const char* kRemoveLast = "remove-last-tei";
constexpr const char* kMoveUp = "move-up-tei";
constexpr const char* kMoveUpActions = "move-up-actions";
constexpr const char* kMoveDown = "move-down-tei";

constexpr size_t kMostCorrections = 16;  // further runs for one variant

// How far each interval of a planned schedule is to be executed, as the runs so far show it.
class Path {
 public:
  Path() = default;
  Path(Schedule planned, const Trace& like) : planned_(std::move(planned)) {
    for (const Interval& i : planned_) {
      until_.push_back(i.last);
      std::vector<Action> actions;
      const uint32_t thread = like.thread_index(i.thread);
      for (const Event& e : like.events()) {
        if (e.thread == thread && e.number >= i.first && e.number <= i.last) actions.push_back({e.op, e.site});
      }
      expected_.push_back(std::move(actions));
    }
  }

  // Compares a run by these numbers with what was expected; true if one of them is another now, and the run has to be made again.
  bool correct(const Trace& run) {
    size_t at = 0;  // in the run
    const auto events = run.events();
    for (size_t i = 0; i < planned_.size(); ++i) {
      const size_t begin = at;
      while (at < events.size() && run.thread_id(events[at]) == planned_[i].thread && events[at].number <= until_[i]) ++at;
      if (begin == at || at == events.size() || i < settled_) continue;
      size_t matched = 0;  // of the expected actions
      size_t end = begin;  // behind the last action that is one of them
      for (size_t k = begin; k < at && matched < expected_[i].size(); ++k) {
        for (size_t e = matched; e < expected_[i].size(); ++e) {
          if (expected_[i][e].op != events[k].op || expected_[i][e].site != events[k].site) continue;
          matched = e + 1;
          end = k + 1;
          break;
        }
      }
      const bool complete = matched == expected_[i].size();
      if (complete && end < at) {
        set(i, events[end - 1].number);
      } else {
        continue;
      }
      settled_ = i + 1;
      return true;
    }
    return false;
  }

  Schedule schedule() const {
    Schedule corrected = planned_;
    for (size_t i = 0; i < corrected.size(); ++i) corrected[i].last = until_[i];
    return corrected;
  }

 private:
  struct Action {
    Op op;
    SiteId site;
  };

  // What the thread does afterwards is counted from there.
  void set(size_t i, uint64_t until) {
    const uint64_t planned = planned_[i].last;
    until_[i] = until;
    for (size_t k = i + 1; k < planned_.size(); ++k) {
      if (planned_[k].thread == planned_[i].thread) until_[k] = planned_[k].last - planned + until;
    }
  }

  Schedule planned_;
  std::vector<uint64_t> until_;
  std::vector<std::vector<Action>> expected_;
  size_t settled_ = 0;  // intervals before it have been corrected
};

class Tinertia final : public Pass {
 public:
  explicit Tinertia(const PassInput& input) : limits_(run_limits(input)), suffix_(input.options.suffix), seed_(input.options.seed) {
    adopt(input.best);
    begin_round();
  }

  std::optional<Proposal> propose() override {
    if (waiting_) return std::nullopt;
    if (again_) {
      again_ = false;
      waiting_ = true;
      retried_.plan = plan_to_run(path_.schedule());
      return retried_;
    }
    while (phase_ != Phase::kDone) {
      std::optional<Proposal> proposal;
      switch (phase_) {
        case Phase::kRemove: proposal = propose_remove(); break;
        case Phase::kUp: proposal = propose_up(); break;
        case Phase::kUpActions: proposal = propose_actions(); break;
        case Phase::kDown: proposal = propose_down(); break;
        case Phase::kDone: break;
      }
      if (!proposal) continue;
      waiting_ = true;
      retried_ = *proposal;
      corrections_ = 0;
      return proposal;
    }
    return std::nullopt;
  }

  bool observe(const Proposal& proposal, const Trace& trace, bool fails) override {
    waiting_ = false;
    // 4.2.1: a valid variant iff the run shows the bug and costs no more than planned; what ran replaces what was planned.
    const bool valid = fails && trace.switches() <= proposal.planned_switches;
    if ((!valid || corrections_ > 0) && corrections_ < kMostCorrections && path_.correct(trace)) {
      ++corrections_;
      again_ = true;
      return false;
    }
    const Phase phase = phase_;
    if (!valid && phase == Phase::kUp) {
      merged_upto_ = executed_prefix(trace);
      if (merged_upto_ != 0) {
        phase_ = Phase::kUpActions;
        return false;
      }
    }
    if (valid) adopt(trace);
    if (phase == Phase::kRemove || phase == Phase::kDown) {
      action_ = std::min(action_ - 1, events_);  // line 9
    } else {
      ++action_;
      phase_ = Phase::kUp;
    }
    return valid;
  }

  size_t rounds() const override { return rounds_; }

 private:
  enum class Phase { kRemove, kUp, kUpActions, kDown, kDone };

  void adopt(const Trace& trace) {
    current_ = trace;
    schedule_ = schedule_of(trace);
    events_ = trace.events().size();
  }

  void begin_round() {
    cost_old_ = cost(schedule_);  // line 4
    ++rounds_;
    phase_ = Phase::kRemove;
    action_ = events_;
  }

  // Interval whose first action is the last such at or before action `i` (from 1), or kNoInterval.
  size_t interval_begun_by(size_t i) const {
    const auto slices = current_.slices();
    const auto at = std::upper_bound(slices.begin(), slices.end(), i, [](size_t n, const TraceSlice& s) { return n < s.begin + 1; });
    return at == slices.begin() ? kNoInterval : static_cast<size_t>(at - slices.begin()) - 1;
  }
  size_t interval_ending_from(size_t i) const {
    const auto slices = current_.slices();
    const auto at = std::lower_bound(slices.begin(), slices.end(), i, [](const TraceSlice& s, size_t n) { return s.end < n; });
    return at == slices.end() ? kNoInterval : static_cast<size_t>(at - slices.begin());
  }
  bool in_reach(size_t interval) const { return suffix_ == 0 || interval + suffix_ >= schedule_.size(); }

  // 4.2.1: whom a signal wakes that was missed in the trace is drawn.
  Plan plan_to_run(const Schedule& planned) const {
    Plan plan = plan_for(planned, current_, limits_);
    plan.tail.stay = 1;
    plan.tail.seed = mix(seed_, rounds_);
    return plan;
  }

  Proposal proposal(Schedule planned, const char* operation) {
    Proposal p;
    p.planned_switches = cost(planned);
    p.plan = plan_to_run(planned);
    path_ = Path(std::move(planned), current_);
    p.operation = operation;
    return p;
  }

  std::optional<Proposal> propose_remove() {  // lines 5-10
    while (action_ > 0) {
      const size_t interval = interval_begun_by(action_);
      if (interval == kNoInterval || !in_reach(interval)) break;
      action_ = current_.slices()[interval].begin + 1;
      if (next_of_thread(schedule_, interval) == kNoInterval) return proposal(remove_interval(schedule_, interval), kRemoveLast);
      --action_;
    }
    phase_ = Phase::kUp;
    action_ = 1;
    return std::nullopt;
  }

  std::optional<Proposal> propose_up() {  // lines 11-13
    while (action_ <= events_) {
      interval_ = interval_ending_from(action_);
      action_ = current_.slices()[interval_].end;
      if (in_reach(interval_) && next_of_thread(schedule_, interval_) != kNoInterval)
        return proposal(move_up(schedule_, interval_), kMoveUp);
      ++action_;
    }
    phase_ = Phase::kDown;
    action_ = events_;
    return std::nullopt;
  }

  std::optional<Proposal> propose_actions() {  // lines 14-15
    return proposal(move_up_actions(schedule_, interval_, merged_upto_), kMoveUpActions);
  }

  std::optional<Proposal> propose_down() {  // lines 18-22
    while (action_ > 0) {
      const size_t interval = interval_begun_by(action_);
      if (interval == kNoInterval || !in_reach(interval)) break;
      action_ = current_.slices()[interval].begin + 1;
      if (previous_of_thread(schedule_, interval) != kNoInterval) return proposal(move_down(schedule_, interval), kMoveDown);
      --action_;
    }
    if (cost_old_ <= cost(schedule_)) {  // line 23
      phase_ = Phase::kDone;
    } else {
      begin_round();
    }
    return std::nullopt;
  }

  // 4.1: how far the rejected run got with the second interval right after the first. 0 where nothing, or all of it, was executed.
  uint64_t executed_prefix(const Trace& rejected) const {
    const size_t next = next_of_thread(schedule_, interval_);
    const TraceSlice& second = current_.slices()[next];
    const uint32_t thread = rejected.thread_index(schedule_[interval_].thread);
    if (thread == kNoIndex) return 0;
    const auto events = rejected.events();
    size_t at = 0;
    while (at < events.size() && !(events[at].thread == thread && events[at].number == schedule_[interval_].last)) ++at;
    uint64_t upto = 0;
    for (size_t i = second.begin; i < second.end; ++i) {
      const Event& wanted = current_.events()[i];
      if (++at >= events.size() || events[at].thread != thread || events[at].op != wanted.op || events[at].site != wanted.site) break;
      upto = wanted.number;
    }
    return upto == schedule_[next].last ? 0 : upto;
  }

  Limits limits_;
  size_t suffix_;
  uint64_t seed_;
  Path path_;               // of the variant that is tried
  Proposal retried_;        // the same
  size_t corrections_ = 0;  // runs made again for it
  bool again_ = false;
  Trace current_;
  Schedule schedule_;  // of current_
  size_t events_ = 0;  // of current_
  Phase phase_ = Phase::kRemove;
  size_t action_ = 0;    // the algorithm's i, from 1
  size_t interval_ = 0;  // kUp, kUpActions: the interval that action_ ends
  uint64_t merged_upto_ = 0;
  size_t cost_old_ = 0;
  size_t rounds_ = 0;
  bool waiting_ = false;
};

constexpr PassRow kTinertiaPass{
    .rank = 10,
    .name = "tinertia",
    .words = "Tinertia as published, one execution after the other",
    .paper = "Jalbert & Sen, FSE 2010, Algorithm 1",
    .in_default = false,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Tinertia>(input); },
};
HEDDLE_ROW(passes, kTinertiaPass);

}  // namespace

}  // namespace heddle::simplify
