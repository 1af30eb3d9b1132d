#pragma once
// LEAN's redundancy criterion (section 2.2, Definition 2): a part of a failing run is redundant iff without it the run still fails in the same way, and a
// sequential run reaches the failing check and passes it.
#include <set>
#include <vector>

#include "simplify/budget.h"
#include "simplify/minimise.h"
#include "simplify/reduce.h"

namespace heddle::simplify {

class Criterion {
 public:
  Criterion(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const ReduceOptions& options);

  // The whole program one thread after the other: does the bug need an interleaving at all, and in which order is its check reached? Gives that run.
  Trace look_in_turn(const Trace& failing);
  // Of these removals, each besides what `best` has left out already, the first that is redundant. Its run becomes the best. Later ones may have been
  // tried at the same time; what they gave is not used, so that the result does not depend on how many can be.
  size_t first_redundant(Trace& best, const std::vector<Removal>& removals);
  // The same run again, with its iterations.
  Trace again(const Trace& trace);

  bool spent() const { return budget_.spent(); }
  const Budget& budget() const { return budget_; }
  size_t rounds() const { return history_.size(); }
  size_t rounds_to_result() const { return last_held_; }  // up to the last that held
  const std::vector<ReduceRound>& history() const { return history_; }
  void enter(ReduceRound::Stage stage) { stage_ = stage; }
  bool sequential_bug() const { return sequential_bug_; }
  const InTurn& in_turn() const { return in_turn_; }

 private:
  using Key = std::vector<uint64_t>;
  void remember_check(const Trace& failing);
  InTurn judge(const Trace& in_turn) const;
  bool passes_in_turn(const Trace& best, const Removal& removal);
  Plan sequential(const Trace& trace, const Removal& removal, bool bug_first) const;
  Plan watched(Plan plan) const;
  Trace run(const Plan& plan);

  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  Budget budget_;
  Limits limits_;
  std::vector<ReduceRound> history_;
  size_t last_held_ = 0;
  ReduceRound::Stage stage_ = ReduceRound::Stage::kThreads;
  bool sequential_bug_ = false;
  bool bug_first_ = false;  // the sequential order in which the whole program reaches its check
  SiteId check_site_ = kNoSite;
  Op check_op_ = Op::kNone;
  InTurn in_turn_;       // of the best
  std::set<Key> known_;  // what was left out where the criterion did not hold
};

}  // namespace heddle::simplify
