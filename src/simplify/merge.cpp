// Tinertia's operations (Jalbert & Sen 2010, section 3.3) towards our objective, with two economies: a proposal whose run can be foreseen
// from the best trace is not run, and neither is one whose order of events is known from a run that did not show the bug.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "simplify/budget.h"
#include "simplify/dependence.h"
#include "simplify/predict.h"
#include "simplify/simplify.h"
#include "simplify/window.h"
#include "trace/sight.h"

namespace heddle::simplify {

namespace {

enum class Move : size_t { kDropThreads, kRemove, kUp, kUpActions, kDown };
constexpr const char* kNames[] = {"drop-threads", "remove-last-tei", "move-up-tei", "move-up-actions", "move-down-tei"};

class Merge final : public Pass {
 public:
  // `thorough`: every operation on every interval is tried, so that nothing to be had by one of them is left; else a kind of operation is
  // given up when it has failed often enough in a row.
  Merge(const PassInput& input, bool thorough)
      : limits_(run_limits(input)),
        suffix_(input.options.suffix),
        blind_(thorough && (!unseen(input.best).empty() || has_timed_operations(input.best))),
        rejected_(blind_ ? own_rejected_ : input.rejected),
        thorough_(thorough),
        most_(thorough ? input.options.certificate_executions : ~size_t{0}) {
    adopt(input.best);
    // Where nobody may be able to go on, everybody has to come to his end: nothing can be left out.
    everybody_ = input.best.outcome().kind == OutcomeKind::kDeadlock && bug_events(input.best).size() == input.best.counts().threads;
    if (everybody_ || thorough) return;
    for (const Thread& t : input.best.threads()) droppable_.push_back(t.id);
    if (!schedule_.empty()) std::erase(droppable_, schedule_.back().thread);
    bystanders_ = bystanders(input.best);
    drop_size_ = droppable_.size() < kCrowd ? 0 : (droppable_.size() + 1) / 2;
  }

  std::optional<Proposal> propose() override {
    while (true) {
      Attempt attempt;
      if (!follow_ups_.empty()) {
        attempt = follow_ups_.front();
        follow_ups_.pop_front();
      } else if (!next_drop(&attempt) && !next_place(&attempt)) {
        return std::nullopt;
      }
      Schedule planned = schedule_after(attempt);
      if (planned == schedule_) continue;
      attempt.context = context_of(attempt);
      if (rejected_.contains(attempt.context) || !worth_running(planned, &attempt)) {
        ++cached_;
        if (attempt.count > 1) {
          batch_ = 1;
          at_ = attempt.at;
        }
        continue;
      }
      if (tired(attempt.move)) continue;
      if (tried_++ >= most_) return std::nullopt;
      attempt.generation = generation_;
      attempts_.push_back(attempt);
      Proposal p;
      p.plan = plan_for(planned, best_, limits_);
      p.operation = kNames[static_cast<size_t>(attempt.move)];
      p.planned_switches = cost(planned);
      return p;
    }
  }

  bool observe(const Proposal&, const Trace& trace, bool fails) override {
    const Attempt attempt = attempts_.front();
    attempts_.pop_front();
    if (fails && simpler(trace.counts(), best_.counts())) {
      window_.accepted();
      in_a_row_[static_cast<size_t>(attempt.move)] = 0;
      // Fewer events alone are no reason to try everything again.
      const Counts before = best_.counts(), after = trace.counts();
      const bool shorter = after.switches < before.switches || after.preemptions < before.preemptions || after.threads < before.threads;
      const size_t without_success = without_success_;
      if (attempt.move == Move::kDropThreads) {
        const std::vector<ThreadId> gone = attempt.threads;
        std::erase_if(droppable_, [&](ThreadId t) { return std::find(gone.begin(), gone.end(), t) != gone.end(); });
        drop_at_ = drop_at_ > gone.size() ? drop_at_ - gone.size() : 0;
        if (attempt.all_bystanders) drop_size_ = 0;
      }
      adopt(trace);
      if (!shorter) without_success_ = without_success;
      if (!thorough_ && attempt.move != Move::kDropThreads) batch_ = std::min(2 * attempt.count, kMostAtOnce);
      return true;
    }
    window_.rejected();
    if (!fails && attempt.order != 0) rejected_.insert(attempt.order);
    if (!blind_) rejected_.insert(attempt.context);
    if (attempt.count > 1) {
      // One of them was too much: back to where they began, one at a time.
      batch_ = 1;
      if (attempt.generation == generation_) {
        phase_ = attempt.phase;
        at_ = attempt.at;
      }
      return false;
    }
    ++in_a_row_[static_cast<size_t>(attempt.move)];
    batch_ = 1;
    if (attempt.generation == generation_ && attempt.move == Move::kUp) {
      if (const uint64_t upto = executed_prefix(attempt, trace); upto != 0) {
        Attempt up;
        up.move = Move::kUpActions;
        up.interval = attempt.interval;
        up.upto = upto;
        follow_ups_.push_back(std::move(up));
      }
    }
    return false;
  }

  size_t window() const override { return window_.size(); }
  size_t cached() const override { return cached_; }
  std::string knowledge() const override {
    if (!thorough_ || best_.events().size() > kPredictable) return {};
    if (tried_ > most_) return fmt::format("not every single operation was tried within {} schedules", most_);
    return "1-minimal: no single operation removes a switch";
  }
  size_t rounds() const override { return rounds_; }

 private:
  struct Attempt {
    Move move = Move::kRemove;
    size_t interval = 0;
    uint64_t upto = 0;
    uint64_t order = 0;  // class of the planned order
    size_t generation = 0;
    std::vector<ThreadId> threads;  // kDropThreads
    bool all_bystanders = false;
    uint64_t context = 0;
    size_t count = 1;          // the same at as many places, one after the other
    size_t phase = 0, at = 0;  // the first of them
  };

  void adopt(const Trace& trace) {
    best_ = trace;
    schedule_ = schedule_of(trace);
    predictor_.reset();
    if (!blind_ && trace.events().size() <= kPredictable) predictor_ = std::make_unique<Predictor>(trace);
    follow_ups_.clear();
    ++generation_;
    // Each thread has to be switched to once, and a preempted one that goes on once more: nothing to be had by merging.
    size_t resumed = 0;
    for (size_t i = 0; i < schedule_.size(); ++i) {
      if (trace.slices()[i].preempted && next_of_thread(schedule_, i) != kNoInterval) ++resumed;
    }
    at_bottom_ = trace.preemptions() <= 1 && schedule_.size() <= trace.counts().threads + resumed;
    without_success_ = 0;
  }

  // Threads that neither end in the bug nor stand on a side of a preemption.
  static std::vector<ThreadId> bystanders(const Trace& trace) {
    std::vector<bool> in(trace.threads().size());
    const auto slices = trace.slices();
    for (size_t i = 0; i + 1 < slices.size(); ++i) {
      if (slices[i].preempted) in[slices[i].thread] = in[slices[i + 1].thread] = true;
    }
    for (size_t e : bug_events(trace)) in[trace.events()[e].thread] = true;
    for (uint32_t t = static_cast<uint32_t>(in.size()); t-- > 1;) {
      if (in[t]) in[trace.threads()[t].parent] = true;
    }
    std::vector<ThreadId> out;
    for (uint32_t t = 1; t < in.size(); ++t) {
      if (!in[t] && trace.threads()[t].operations > 0) out.push_back(trace.threads()[t].id);
    }
    return out;
  }

  // First whole threads, many at once and then fewer: most of a large crowd has nothing to do with the bug.
  bool next_drop(Attempt* attempt) {
    if (bystanders_.size() > 1) {
      attempt->move = Move::kDropThreads;
      attempt->threads = std::move(bystanders_);
      attempt->all_bystanders = true;
      bystanders_.clear();
      return true;
    }
    while (drop_size_ > 0) {
      if (drop_at_ >= droppable_.size()) {
        drop_at_ = 0;
        drop_size_ = drop_size_ <= std::max(kFewestDropped, droppable_.size() / 4) ? 0 : drop_size_ / 2;
        continue;
      }
      const size_t end = std::min(drop_at_ + drop_size_, droppable_.size());
      attempt->move = Move::kDropThreads;
      attempt->threads.assign(droppable_.begin() + static_cast<std::ptrdiff_t>(drop_at_),
                              droppable_.begin() + static_cast<std::ptrdiff_t>(end));
      drop_at_ = end;
      return true;
    }
    return false;
  }

  // Places go round: the ends (backwards), the ups (forwards), the downs (backwards); a whole turn without success is the end.
  bool next_place(Attempt* attempt) {
    const size_t n = schedule_.size();
    while (without_success_ < 3 * n) {
      if (at_ >= n) {
        at_ = 0;
        phase_ = (phase_ + 1) % 3;
        rounds_ += phase_ == 0 ? 1 : 0;
      }
      const size_t at = at_++;
      ++without_success_;
      attempt->move = phase_ == 0 ? Move::kRemove : phase_ == 1 ? Move::kUp : Move::kDown;
      attempt->interval = phase_ == 1 ? at : n - 1 - at;
      attempt->upto = 0;
      attempt->phase = phase_;
      attempt->at = at;
      if (suffix_ != 0 && attempt->interval + suffix_ < n) continue;
      if (phase_ == 0 ? everybody_ : at_bottom_ && !thorough_) continue;
      const bool has_next = next_of_thread(schedule_, attempt->interval) != kNoInterval;
      const bool has_previous = previous_of_thread(schedule_, attempt->interval) != kNoInterval;
      if (phase_ == 0 ? has_next : phase_ == 1 ? !has_next : !has_previous) continue;
      attempt->count = phase_ == 0 ? 1 : batch_;
      at_ += attempt->count - 1;
      return true;
    }
    return false;
  }

  Schedule schedule_after(const Attempt& a) const {
    switch (a.move) {
      case Move::kDropThreads: {
        Schedule rest;
        for (const Interval& i : schedule_) {
          if (std::find(a.threads.begin(), a.threads.end(), i.thread) == a.threads.end()) rest.push_back(i);
        }
        return merged(std::move(rest));
      }
      case Move::kRemove: return remove_interval(schedule_, a.interval);
      case Move::kUp: return many_up(a);
      case Move::kUpActions: return move_up_actions(schedule_, a.interval, a.upto);
      case Move::kDown: return many_down(a);
    }
    return schedule_;
  }

  Schedule many_up(const Attempt& a) const {
    Schedule schedule = schedule_;
    for (size_t i = a.interval, done = 0; i < schedule.size() && done < a.count; ++i, ++done) {
      if (next_of_thread(schedule, i) != kNoInterval) schedule = move_up(std::move(schedule), i);
    }
    return schedule;
  }
  Schedule many_down(const Attempt& a) const {
    Schedule schedule = schedule_;
    for (size_t from_end = schedule.size() - a.interval, done = 0; from_end <= schedule.size() && done < a.count; ++from_end, ++done) {
      const size_t i = schedule.size() - from_end;
      if (previous_of_thread(schedule, i) != kNoInterval) schedule = move_down(std::move(schedule), i);
    }
    return schedule;
  }

  // Names a move by what it moves over. A move that was rejected is not tried again after a success elsewhere that left all this as it was.
  uint64_t context_of(const Attempt& a) const {
    uint64_t name = mix(mix(static_cast<uint64_t>(a.move), a.count), a.upto);
    size_t begin = a.interval, end = schedule_.size();
    if (a.move == Move::kDropThreads) {
      begin = 0;
      for (ThreadId t : a.threads) name = mix(name, t);
    } else if (a.count > 1) {
      begin = 0;
    } else if (a.move == Move::kDown) {
      begin = previous_of_thread(schedule_, a.interval);
      end = a.interval + 1;
    } else if (a.move != Move::kRemove) {
      end = next_of_thread(schedule_, a.interval) + 1;
    }
    for (size_t i = begin; i < end; ++i) name = mix(mix(name, schedule_[i].thread), mix(schedule_[i].first, schedule_[i].last));
    return name;
  }

  bool tired(Move move) const { return !thorough_ && in_a_row_[static_cast<size_t>(move)] >= std::max(kPatience, schedule_.size() / 3); }

  bool worth_running(const Schedule& planned, Attempt* attempt) {
    if (!predictor_) return true;
    const Prediction prediction = predictor_->predict(planned);
    if (prediction.blocked) return false;
    if (prediction.faithful) return simpler(prediction.counts, best_.counts());
    attempt->order = prediction.order;
    return prediction.order == 0 || !rejected_.contains(prediction.order);
  }

  // Tinertia 4.1: how far the rejected run got with the second interval right after the first.
  uint64_t executed_prefix(const Attempt& attempt, const Trace& rejected) const {
    const size_t next = next_of_thread(schedule_, attempt.interval);
    const uint32_t thread = rejected.thread_index(schedule_[attempt.interval].thread);
    if (thread == kNoIndex) return 0;
    for (const TraceSlice& s : rejected.slices()) {
      if (s.thread != thread || rejected.events()[s.end - 1].number <= schedule_[attempt.interval].last) continue;
      if (rejected.events()[s.begin].number > schedule_[attempt.interval].last) return 0;
      const uint64_t upto = rejected.events()[s.end - 1].number;
      return upto < schedule_[next].last ? upto : 0;
    }
    return 0;
  }

  Limits limits_;
  size_t suffix_;
  const bool blind_;  // events do not show every dependence: what is claimed of every operation is run
  std::unordered_set<uint64_t> own_rejected_;
  std::unordered_set<uint64_t>& rejected_;  // orders, and contexts of moves
  bool thorough_;
  size_t most_;
  size_t tried_ = 0;
  size_t in_a_row_[5] = {};  // failures of each kind of move
  Trace best_;
  Schedule schedule_;
  std::unique_ptr<Predictor> predictor_;
  std::deque<Attempt> follow_ups_;
  std::deque<Attempt> attempts_;  // under way
  // Single threads are left to remove-last-tei.
  static constexpr size_t kFewestDropped = 2;
  static constexpr size_t kCrowd = 6;
  static constexpr size_t kPatience = 6;
  static constexpr size_t kMostAtOnce = 16;
  bool everybody_ = false;
  bool at_bottom_ = false;
  std::vector<ThreadId> bystanders_;
  std::vector<ThreadId> droppable_;
  size_t drop_size_ = 0;
  size_t drop_at_ = 0;
  size_t phase_ = 0, at_ = 0;   // the next place
  size_t batch_ = 1;            // places at once
  size_t without_success_ = 0;  // places since the last success
  size_t generation_ = 0;
  size_t cached_ = 0;
  size_t rounds_ = 1;
  RunWindow window_;
};

constexpr PassRow kMergePass{
    .rank = 60,
    .name = "merge",
    .words = "Tinertia's operations, predicted and remembered by class of schedules",
    .paper = "Jalbert & Sen, FSE 2010, section 3.3",
    .in_default = true,
    .then = "direct",  // of few preemptions left one may be enough
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Merge>(input, false); },
};
HEDDLE_ROW(passes, kMergePass);

constexpr PassRow kMinimalPass{
    .rank = 80,
    .name = "minimal",
    .words = "Tinertia's operations on every interval: none that succeeds makes the schedule 1-minimal",
    .paper = "Jalbert & Sen, FSE 2010, section 3",
    .in_default = true,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Merge>(input, true); },
};
HEDDLE_ROW(passes, kMinimalPass);

}  // namespace

}  // namespace heddle::simplify
