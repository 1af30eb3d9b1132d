#include "simplify/reduce.h"

#include <algorithm>
#include <map>
#include <numeric>
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
      stage(ReduceRound::Stage::kThreads, result_.by_threads, [&] { remove_threads(); });
      const size_t before = accepted_;
      stage(ReduceRound::Stage::kIterations, result_.by_iterations, [&] { remove_iterations(); });
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
    result_.history = criterion_.history();
    result_.executions = criterion_.budget().executions();
    result_.seconds = criterion_.budget().elapsed();
    if (!result_.loops.empty()) result_.left = loop_uses(result_.best);
    return std::move(result_);
  }

  void stage(ReduceRound::Stage which, ReduceStage& stage, const std::function<void()>& work) {
    const Budget& budget = criterion_.budget();
    const ReduceStage before{criterion_.rounds(), 0, budget.executions(), budget.elapsed(), 0};
    criterion_.enter(which);
    work();
    if (criterion_.rounds_to_result() > before.rounds)
      stage.rounds_to_result = stage.rounds + criterion_.rounds_to_result() - before.rounds;
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
    const MinimiseTest test = tests([&](const Items& drop) {
      Removal removal;
      for (size_t i : drop) removal.threads.push_back(all[i]);
      return removal;
    });
    if (pass_ == 0) {
      minimise(by_suspicion(result_.best, all), test);
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

  void remove_iterations() {
    if (pass_ == 0) remove_before_failure();
    // Algorithm 4. What a loop's iterations are called may change with what is left out of the loops around it, so each is looked up in the run that is
    // the best when its turn comes.
    std::set<std::pair<ThreadId, LoopId>> done;
    while (!result_.loops.empty() && !criterion_.spent()) {
      const std::vector<LoopUse> uses = loop_uses(result_.best);
      const auto use = std::find_if(uses.begin(), uses.end(), [&](const LoopUse& u) { return !done.contains({u.thread, u.loop}); });
      if (use == uses.end()) return;
      done.insert({use->thread, use->loop});
      Candidates candidates;
      for (size_t i = 0; i < use->parts.size(); ++i) {
        if (!use->parts[i].about_threads) candidates.push_back({&*use, i});
      }
      // The failure comes at the end: the last iterations first.
      Items ranked;
      for (size_t i = candidates.size(); i-- > 0;) ranked.push_back(i);
      std::stable_partition(ranked.begin(), ranked.end(), [&](size_t i) { return candidates[i].part().operations() > 0; });
      const bool again = pass_ > 0 || together_.contains({use->thread, use->loop});
      minimise_iterations(candidates, [&](const MinimiseTest& test) {
        if (again) {
          minimise_again(candidates.size(), test);
        } else {
          minimise({ranked, {}}, test);
        }
      });
    }
  }

  // The outermost loops of all threads at once, by the time at which iterations ended. What one thread hands to another, a request or a message, is made
  // and taken at about the same time: both go together, and what comes after keeps its place.
  void remove_before_failure() {
    if (result_.loops.empty() || criterion_.spent()) return;
    const std::vector<LoopUse> uses = loop_uses(result_.best);
    const std::vector<size_t> outer = outermost(uses);
    if (outer.size() < 2) return;
    Candidates candidates;
    for (size_t u : outer) {
      for (size_t i = 0; i < uses[u].parts.size(); ++i) {
        const IterationPart& part = uses[u].parts[i];
        if (!part.about_threads && part.operations() > 0) candidates.push_back({&uses[u], i});
      }
      together_.insert({uses[u].thread, uses[u].loop});
    }
    const std::vector<size_t> ends = end_times(candidates);
    Items ranked(candidates.size());
    std::iota(ranked.begin(), ranked.end(), size_t{0});
    std::stable_sort(ranked.begin(), ranked.end(), [&](size_t a, size_t b) { return ends[a] > ends[b]; });
    // A guess: the last one of each.
    Items last;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (i + 1 == candidates.size() || candidates[i + 1].use != candidates[i].use) last.push_back(i);
    }
    minimise_iterations(candidates, [&](const MinimiseTest& test) { find_needed({ranked, {last}}, test); });
  }

  struct Candidate {
    const LoopUse* use;
    size_t index;
    const IterationPart& part() const { return use->parts[index]; }
  };
  using Candidates = std::vector<Candidate>;

  // At which event of the run each of them ended.
  std::vector<size_t> end_times(const Candidates& candidates) const {
    const Trace& best = result_.best;
    std::map<std::pair<uint32_t, uint64_t>, size_t> at;  // by thread and number of its last operation
    for (const Candidate& c : candidates) at[{best.thread_index(c.use->thread), c.part().last_operation}] = 0;
    for (size_t i = 0; i < best.events().size(); ++i) {
      const auto found = at.find({best.events()[i].thread, best.events()[i].number});
      if (found != at.end()) found->second = i;
    }
    std::vector<size_t> ends;
    for (const Candidate& c : candidates) ends.push_back(at[{best.thread_index(c.use->thread), c.part().last_operation}]);
    return ends;
  }

  void minimise_iterations(const Candidates& candidates, const std::function<void(const MinimiseTest&)>& search) {
    // Numbers of operations are those of the run before any of these was left out.
    const Trace before = result_.best;
    Items gone;
    const MinimiseTest test{[&](const std::vector<Items>& drops) {
                              std::vector<Removal> removals;
                              for (const Items& drop : drops) removals.push_back(removal_of(candidates, gone, drop));
                              Trace best = before;
                              const size_t found = criterion_.first_redundant(best, removals);
                              if (found == kNoneRedundant || drops[found].empty()) return found;
                              gone.insert(gone.end(), drops[found].begin(), drops[found].end());
                              accept(std::move(best));
                              return found;
                            },
                            [&] { return criterion_.spent(); }};
    search(test);
  }

  static Removal removal_of(const Candidates& candidates, const Items& gone, const Items& drop) {
    Removal removal;
    if (drop.empty()) return removal;
    Items all = gone;
    all.insert(all.end(), drop.begin(), drop.end());
    std::sort(all.begin(), all.end());  // those of one loop lie one after the other, in order
    for (size_t i : all) {
      if (removal.loops.empty() || removal.loops.back().use != candidates[i].use) removal.loops.push_back({candidates[i].use, {}});
      removal.loops.back().parts.push_back(candidates[i].index);
    }
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
  std::set<std::pair<ThreadId, LoopId>> together_;  // loops that were thinned with others
  size_t accepted_ = 0;                             // steps
  ReduceResult result_;
};

}  // namespace

ReduceResult reduce(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const ReduceOptions& options) {
  return Reducer(failing, same_bug, executor, options).go();
}

}  // namespace heddle::simplify
