#include "simplify/reduce.h"

#include <algorithm>
#include <set>

#include "simplify/criterion.h"
#include "simplify/minimise.h"
#include "simplify/suspicion.h"

namespace heddle::simplify {

namespace {

using Threads = std::vector<ThreadId>;  // kept in order of creation

class Reducer {
 public:
  Reducer(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const ReduceOptions& options)
      : options_(options), criterion_(failing, same_bug, executor, options) {
    result_.best = failing;
  }

  ReduceResult go() {
    if (criterion_.spent()) {
      result_.finished = result_.one_minimal = false;
      return result();
    }
    const Trace in_turn = criterion_.look_in_turn(result_.best);
    if (options_.iterations && !in_turn.data().iterations.empty()) learn_loops();
    // What is left of a thread without its iterations may not be needed either, and a run that has become another may show more iterations.
    constexpr int kMostPasses = 4;
    for (pass_ = 0; pass_ < kMostPasses && !criterion_.spent(); ++pass_) {
      stage(result_.by_threads, [&] { remove_threads(); });
      const size_t before = accepted_;
      stage(result_.by_iterations, [&] { remove_iterations(); });
      if (accepted_ == before) break;
    }
    if (criterion_.spent()) result_.finished = result_.one_minimal = false;
    return result();
  }

 private:
  ReduceResult result() {
    result_.sequential_bug = criterion_.sequential_bug();
    result_.in_turn = criterion_.in_turn();
    result_.rounds = criterion_.rounds();
    result_.executions = criterion_.budget().executions();
    result_.seconds = criterion_.budget().elapsed();
    if (!result_.loops.empty()) result_.left = loop_uses(result_.best);
    return std::move(result_);
  }

  void stage(ReduceStage& stage, const std::function<void()>& work) {
    const Budget& budget = criterion_.budget();
    const ReduceStage before{criterion_.rounds(), budget.executions(), budget.elapsed(), 0};
    work();
    stage.rounds += criterion_.rounds() - before.rounds;
    stage.executions += budget.executions() - before.executions;
    stage.seconds += budget.elapsed() - before.seconds;
    if (pass_ == 0 || &stage == &result_.by_iterations) stage.events_left = result_.best.counts().events;
  }

  static size_t depth(const Trace& trace, uint32_t thread) {
    size_t d = 0;
    while (thread != 0 && trace.threads()[thread].parent < thread) {
      thread = trace.threads()[thread].parent;
      ++d;
    }
    return d;
  }
  static size_t height(const Trace& trace) {
    size_t most = 0;
    for (uint32_t t = 0; t < trace.threads().size(); ++t) most = std::max(most, depth(trace, t));
    return most;
  }
  static Threads at_level(const Trace& trace, size_t level) {
    std::set<ThreadId> removed;
    for (const Skip& s : trace.data().skips) {
      if (s.kind == SkipKind::kThread) removed.insert(s.thread);
    }
    Threads out;
    for (uint32_t t = 1; t < trace.threads().size(); ++t) {
      if (depth(trace, t) == level && !removed.contains(trace.threads()[t].id)) out.push_back(trace.threads()[t].id);
    }
    return out;
  }

  void remove_threads() {
    if (!options_.threads) return;
    for (size_t level = 1; level <= height(result_.best); ++level) {  // Algorithm 1, line 5
      const Threads threads = at_level(result_.best, level);
      if (!threads.empty()) minimise_threads(threads);
    }
  }

  void minimise_threads(const Threads& all) {
    Items ranked;
    for (ThreadId t : by_suspicion(result_.best, all))
      ranked.push_back(static_cast<size_t>(std::find(all.begin(), all.end(), t) - all.begin()));
    const MinimiseTest test = tests([&](const Items& drop) {
      Removal removal;
      for (size_t i : drop) removal.threads.push_back(all[i]);
      return removal;
    });
    if (pass_ == 0) {
      minimise(ranked, test);
    } else {
      minimise_again(all.size(), test);
    }
  }

  // One replay tells which loops there are.
  void learn_loops() {
    if (criterion_.spent()) return;
    const Trace again = criterion_.again(result_.best);
    if (first_difference(result_.best, again) != kNoDifference) return;
    result_.iterations_lost = again.data().iterations_lost;
    result_.loops = loop_uses(again);
    result_.best = again;
  }

  // Algorithm 4. What a loop's iterations are called may change with what is left out of the loops around it, so each is looked up in the run that is the
  // best when its turn comes.
  void remove_iterations() {
    std::set<std::pair<ThreadId, LoopId>> done;
    while (!result_.loops.empty() && !criterion_.spent()) {
      const std::vector<LoopUse> uses = loop_uses(result_.best);
      const auto use = std::find_if(uses.begin(), uses.end(), [&](const LoopUse& u) { return !done.contains({u.thread, u.loop}); });
      if (use == uses.end()) return;
      done.insert({use->thread, use->loop});
      minimise_loop(*use);
    }
  }

  void minimise_loop(const LoopUse& use) {
    Items candidates;
    for (size_t i = 0; i < use.parts.size(); ++i) {
      if (!use.parts[i].about_threads) candidates.push_back(i);
    }
    // The failure comes at the end: the last iterations first.
    Items ranked;
    for (size_t i = candidates.size(); i-- > 0;) ranked.push_back(i);
    std::stable_partition(ranked.begin(), ranked.end(), [&](size_t i) { return use.parts[candidates[i]].operations() > 0; });
    // Numbers of operations are those of the run before any of these was left out.
    const Trace before = result_.best;
    Items gone;
    const MinimiseTest test{[&](const std::vector<Items>& drops) {
                              std::vector<Removal> removals;
                              for (const Items& drop : drops) removals.push_back(removal_of(use, candidates, gone, drop));
                              Trace best = before;
                              const size_t found = criterion_.first_redundant(best, removals);
                              if (found == kNoneRedundant || drops[found].empty()) return found;
                              gone.insert(gone.end(), drops[found].begin(), drops[found].end());
                              accept(std::move(best));
                              return found;
                            },
                            [&] { return criterion_.spent(); }};
    if (pass_ == 0) {
      minimise(ranked, test);
    } else {
      minimise_again(candidates.size(), test);
    }
  }

  static Removal removal_of(const LoopUse& use, const Items& candidates, const Items& gone, const Items& drop) {
    Removal removal;
    if (drop.empty()) return removal;
    removal.use = &use;
    for (size_t i : gone) removal.parts.push_back(candidates[i]);
    for (size_t i : drop) removal.parts.push_back(candidates[i]);
    std::sort(removal.parts.begin(), removal.parts.end());
    return removal;
  }

  MinimiseTest tests(const std::function<Removal(const Items&)>& removal_of) {
    return {[this, removal_of](const std::vector<Items>& drops) {
              std::vector<Removal> removals;
              for (const Items& drop : drops) removals.push_back(removal_of(drop));
              Trace best = result_.best;
              const size_t found = criterion_.first_redundant(best, removals);
              if (found == kNoneRedundant || removals[found].empty()) return found;
              result_.removed.insert(result_.removed.end(), removals[found].threads.begin(), removals[found].threads.end());
              accept(std::move(best));
              return found;
            },
            [this] { return criterion_.spent(); }};
  }

  void accept(Trace best) {
    result_.best = std::move(best);
    ++accepted_;
    if (options_.progress) options_.progress({result_.best.counts(), criterion_.budget().executions(), "reduce"});
  }

  const ReduceOptions& options_;
  Criterion criterion_;
  int pass_ = 0;
  size_t accepted_ = 0;  // steps
  ReduceResult result_;
};

}  // namespace

ReduceResult reduce(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const ReduceOptions& options) {
  return Reducer(failing, same_bug, executor, options).go();
}

}  // namespace heddle::simplify
