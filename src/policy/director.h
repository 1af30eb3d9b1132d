#pragma once
// Follows a plan through a run: slices first, then the tail policy. The only place that decides who runs next, in the runtime and in toys alike.
#include "policy/policies.h"

namespace heddle::policy {

enum class Verdict : uint8_t { kRun, kStuck, kDiverged };

struct Decision {
  Verdict verdict;
  uint32_t index;      // kRun: in PointView::threads
  const char* reason;  // kDiverged
};

class Director {
 public:
  // `threads` has an entry for every slot the run may use and belongs to the caller, who zeroes it. `cursor`: slices that the run has
  // followed already, without asking the tail policy.
  void install(const PlanView& plan, PolicyThread* threads, uint64_t step, uint64_t cursor = 0);

  // May the current thread, whose pending operation is enabled and which has not given way, execute it without a look at the others?
  // A fast answer for the common case; false only means "ask next()".
  bool keeps(ThreadId current, uint32_t number, uint64_t step) const;

  // `fair`: the run has only idled for a while; whatever the tail policy, everybody who can run takes turns, so that what goes on idling
  // is the program's fault and not the policy's.
  Decision next(const PointView& view, bool fair = false);

  // The value of the choice at (thread, number): the plan's if it has one and it is among the options, else drawn as the tail policy draws.
  // Returns an index in `options`.
  uint32_t choose(ThreadId thread, uint32_t number, uint64_t step, const uint64_t* options, uint32_t count) const;
  // Does the wait on a condition at (thread, number) end without a signal? The plan's choice, else drawn while the budget lasts.
  bool wakes_unasked(ThreadId thread, uint64_t number, uint64_t step);
  const Choice* find_choice(ThreadId thread, uint64_t number) const;

  // Is this thread removed from the run (LEAN 3.1)?
  bool removed(ThreadId thread) const;
  // Is this iteration of a loop left out (LEAN 3.2.2)?
  bool skips(SkipKind kind, ThreadId thread, LoopId loop, uint64_t number) const;

  uint64_t slices_done() const { return cursor_; }
  uint64_t slices_skipped() const { return skipped_; }
  bool in_tail() const { return cursor_ >= slice_count_; }

 private:
  Decision next_by_plan_or_policy(const PointView& view, bool fair);
  Decision follow_slices(const PointView& view, bool* decided);

  PolicyState state_;
  const PolicyRow* policy_;
  uint64_t slice_count_;
  uint64_t cursor_;  // slices before it are done or skipped
  uint64_t skipped_;
};

inline Decision Director::next(const PointView& m, bool fair) {
  // The common case in short: the policy chooses among those who are ready.
  if (in_tail() && !fair && m.able_count != 0 && state_.early_left == 0) return {Verdict::kRun, policy_->pick(state_, m), nullptr};
  return next_by_plan_or_policy(m, fair);
}

inline bool Director::keeps(ThreadId current, uint32_t number, uint64_t step) const {
  if (cursor_ < slice_count_) {
    const Slice& slice = state_.plan.slices[cursor_];
    return slice.thread == current && number < slice.until;  // the last one goes through next(), which closes the slice
  }
  return policy_->keeps != nullptr && policy_->keeps(state_, step);
}

}  // namespace heddle::policy
