#include "simplify/statements.h"

#include <algorithm>
#include <map>

#include "simplify/criterion.h"

namespace heddle::simplify {

namespace {

using Chosen = std::vector<bool>;  // by run: left out

class Remover {
 public:
  Remover(ReduceResult& result, const StatementSlices& slices, Criterion& criterion, const ReduceOptions& options)
      : result_(result), slices_(slices), runs_(slices.runs), criterion_(criterion), options_(options), base_(result.best) {
    for (const Skip& s : base_.data().skips) {
      if (s.kind == SkipKind::kIteration) thinned_.push_back({s.thread, s.loop});
    }
  }

  void go() {
    const Items all = groups_of(slices_.values);
    if (all.empty()) return;
    if (attempt(all, Chosen(runs_.size()))) return;
    // The whole graph leaves out less, and is right more often. What it keeps besides is tried by halves.
    const Items sure = groups_of(slices_.orders);
    if (!sure.empty() && sure != all) attempt(sure, accepted());
    halve(all);
  }

 private:
  Chosen accepted() const { return accepted_.empty() ? Chosen(runs_.size()) : accepted_; }

  // Names of loops whose iterations are left out are numbers: what begins some of them has to stay.
  bool may_go(const StatementRun& r) const {
    if (!r.ended && !r.open) return false;
    const ThreadId thread = base_.threads()[r.thread].id;
    return std::none_of(r.loops.begin(), r.loops.end(), [&](LoopId loop) {
      return std::find(thinned_.begin(), thinned_.end(), std::pair(thread, loop)) != thinned_.end();
    });
  }

  // By the first run of each: all executions of one statement by one thread that are not needed go together.
  Items groups_of(const std::vector<bool>& needed) {
    groups_.clear();
    std::map<std::pair<uint32_t, LoopId>, size_t> known;
    Items firsts;
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (needed[i] || !may_go(runs_[i]) || is_inside(i, needed)) continue;
      const auto [at, fresh] = known.try_emplace({runs_[i].thread, runs_[i].statement}, i);
      if (fresh) firsts.push_back(i);
      groups_[at->second].push_back(i);
    }
    return firsts;
  }

  // Of one that is left out anyway.
  bool is_inside(size_t i, const std::vector<bool>& needed) const {
    for (uint32_t r = runs_[i].around; r != kNoStatement; r = runs_[r].around) {
      if (!needed[r] && may_go(runs_[r])) return true;
    }
    return false;
  }

  bool is_within(size_t i, const Chosen& chosen) const {
    for (uint32_t r = runs_[i].around; r != kNoStatement; r = runs_[r].around) {
      if (chosen[r]) return true;
    }
    return false;
  }

  // What is executed in a statement that is left out is no longer counted, so that the numbers are those of a run without it.
  Removal removal_of(const Chosen& chosen) const {
    Removal removal;
    std::map<std::pair<uint32_t, LoopId>, uint64_t> count;
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (is_within(i, chosen)) continue;
      const StatementRun& r = runs_[i];
      const uint64_t number = ++count[{r.thread, r.statement}];
      if (!chosen[i]) continue;
      const ThreadId thread = base_.threads()[r.thread].id;
      removal.statements.push_back({SkipKind::kStatement, 0, thread, r.statement, number});
      if (r.first_operation <= r.last_operation) removal.gone.push_back({thread, r.first_operation, r.last_operation});
    }
    return removal;
  }

  bool attempt(const Items& groups, const Chosen& besides) {
    Chosen chosen = besides;
    for (size_t g : groups) {
      for (size_t i : groups_.at(g)) chosen[i] = true;
    }
    if (chosen == besides || criterion_.spent()) return false;
    Trace best = base_;
    if (criterion_.first_redundant(best, {removal_of(chosen)}) == kNoneRedundant) return false;
    accepted_ = std::move(chosen);
    result_.best = std::move(best);
    if (options_.progress) options_.progress({result_.best.counts(), criterion_.budget().executions(), "reduce"});
    return true;
  }

  void halve(const Items& whole) {
    constexpr size_t kMostRounds = 60;
    groups_of(slices_.values);
    std::vector<Items> open = {whole};
    bool first = true;
    for (size_t rounds = 0; !open.empty() && rounds < kMostRounds && !criterion_.spent(); ++rounds) {
      const Items next = open.back();
      open.pop_back();
      if (!first && attempt(next, accepted())) continue;
      first = false;  // the whole was tried
      if (next.size() < 2) continue;
      const auto middle = next.begin() + static_cast<std::ptrdiff_t>(next.size() / 2);
      open.emplace_back(next.begin(), middle);
      open.emplace_back(middle, next.end());
    }
  }

 public:
  StatementsLeft left() const {
    StatementsLeft left;
    const Chosen gone = accepted();
    std::map<std::pair<uint32_t, LoopId>, StatementUse> uses;
    for (size_t i = 0; i < runs_.size(); ++i) {
      StatementUse& use = uses[{runs_[i].thread, runs_[i].statement}];
      ++use.before;
      ++left.before;
      if (gone[i] || is_within(i, gone)) continue;
      ++use.after;
      ++left.after;
    }
    for (auto& [key, use] : uses) {
      use.thread = base_.threads()[key.first].id;
      for (const Loop& loop : slices_.places) {
        if (loop.id == key.second) use.place = loop.place;
      }
      left.uses.push_back(use);
    }
    return left;
  }

 private:
  ReduceResult& result_;
  const StatementSlices& slices_;
  const std::vector<StatementRun>& runs_;
  Criterion& criterion_;
  const ReduceOptions& options_;
  const Trace base_;
  std::vector<std::pair<ThreadId, LoopId>> thinned_;  // loops of which iterations are left out
  std::map<size_t, Items> groups_;                    // by the first run
  Chosen accepted_;
};

}  // namespace

void remove_statements(ReduceResult& result, const StatementSlices& slices, const std::function<bool(const Trace&)>& same_bug,
                       Executor& executor, const ReduceOptions& options) {
  Criterion criterion(result.best, same_bug, executor, options);
  if (criterion.spent()) return;
  criterion.enter(ReduceRound::Stage::kStatements);
  criterion.look_in_turn(result.best);
  Remover remover(result, slices, criterion, options);
  remover.go();
  result.statements = remover.left();
  result.by_statements = {criterion.rounds(), criterion.rounds_to_result(), criterion.budget().executions(), criterion.budget().elapsed(),
                          result.best.counts().events};
  result.history.insert(result.history.end(), criterion.history().begin(), criterion.history().end());
  if (criterion.in_turn().asked) result.in_turn = criterion.in_turn();
  result.rounds += criterion.rounds();
  result.executions += criterion.budget().executions();
  result.seconds += criterion.budget().elapsed();
  if (criterion.spent()) result.finished = false;
}

}  // namespace heddle::simplify
