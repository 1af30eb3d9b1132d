#include "simplify/reduce.h"

#include <algorithm>
#include <set>

#include "simplify/budget.h"
#include "simplify/dependence.h"
#include "simplify/schedule.h"
#include "simplify/suspicion.h"

namespace heddle::simplify {

namespace {

using Threads = std::vector<ThreadId>;  // kept in order of creation

class Reducer {
 public:
  Reducer(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const ReduceOptions& options)
      : same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        limits_(run_limits(failing, options.limits)) {
    result_.best = failing;
    remember_check(failing);
  }

  ReduceResult go() {
    if (budget_.spent()) {
      result_.finished = result_.one_minimal = false;
      return result();
    }
    look_in_turn();
    for (size_t level = 1; level <= height(result_.best); ++level) {  // Algorithm 1, line 5
      const Threads threads = at_level(result_.best, level);
      if (!threads.empty()) minimise(threads);
    }
    if (budget_.spent()) result_.finished = result_.one_minimal = false;
    return result();
  }

 private:
  ReduceResult result() {
    result_.executions = budget_.executions();
    result_.seconds = budget_.elapsed();
    return std::move(result_);
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
  static bool removed(const Trace& trace, ThreadId id) {
    for (const Skip& s : trace.data().skips) {
      if (s.kind == SkipKind::kThread && s.thread == id) return true;
    }
    return false;
  }
  static Threads at_level(const Trace& trace, size_t level) {
    Threads out;
    for (uint32_t t = 1; t < trace.threads().size(); ++t) {
      if (depth(trace, t) == level && !removed(trace, trace.threads()[t].id)) out.push_back(trace.threads()[t].id);
    }
    return out;
  }

  // Every event of the whole failing run whose place a passing run must reach too (Definition 2, condition II: the check was evaluated).
  void remember_check(const Trace& failing) {
    if (failing.outcome().kind == OutcomeKind::kDeadlock || failing.events().empty()) return;
    const Event& last = failing.events().back();
    check_site_ = last.site;
    check_op_ = last.op;
  }

  static Threads without(const Threads& all, const Threads& some) {
    Threads out;
    for (ThreadId t : all) {
      if (std::find(some.begin(), some.end(), t) == some.end()) out.push_back(t);
    }
    return out;
  }

  // Leaves a 1-minimal subset of `all`: a search among the first of them in the order of suspicion, which finds k needed threads of n in
  // about k log n rounds at most where removal is monotone (Junker 2004), and in few where suspicion is right; then ddmin (LEAN Fig. 3),
  // which makes 1-minimality sure.
  void minimise(const Threads& all) {
    const Threads ranked = by_suspicion(result_.best, all);
    size_t needed = 0, limit = ranked.size();  // only the first `limit` and `needed_` are still in
    needed_.clear();
    while (limit > 0 && !budget_.spent()) {
      if (needed > 8 && needed * 4 > ranked.size()) break;  // nearly everything is needed: ddmin's complements are cheaper
      const size_t enough = least_enough(ranked, limit);
      if (enough == 0) break;
      needed_.push_back(ranked[enough - 1]);
      limit = enough - 1;
      ++needed;
    }
    ddmin(present(all));
  }

  // The least n such that with the first n and the needed ones it still fails: by growing steps first, then by halves.
  size_t least_enough(const Threads& ranked, size_t limit) {
    auto enough = [&](size_t n) {
      Threads keep(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(n));
      keep.insert(keep.end(), needed_.begin(), needed_.end());
      return redundant(without(present(ranked), keep));
    };
    size_t low = needed_.empty() ? 1 : 0, high = limit;
    for (size_t n = low; n < high && !budget_.spent(); n = std::max<size_t>(n + 1, 4 * n)) {
      if (enough(n)) {
        high = n;
        break;
      }
      low = n + 1;
    }
    while (low < high && !budget_.spent()) {
      const size_t middle = low + (high - low) / 2;
      if (enough(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  // Those that have not been removed.
  Threads present(const Threads& all) const {
    Threads out;
    for (ThreadId t : all) {
      if (!removed(result_.best, t)) out.push_back(t);
    }
    return out;
  }

  void ddmin(Threads c) {
    size_t n = 2;
    while (!c.empty() && !budget_.spent()) {
      n = std::min(n, c.size());
      bool progress = false;
      auto part = [&](size_t i) {
        return Threads(c.begin() + static_cast<std::ptrdiff_t>(c.size() * i / n),
                       c.begin() + static_cast<std::ptrdiff_t>(c.size() * (i + 1) / n));
      };
      for (size_t i = 0; i < n && !progress && n < c.size(); ++i) {
        const Threads keep = part(i);
        if (redundant(without(c, keep))) {
          c = keep;
          n = 2;
          progress = true;
        }
      }
      for (size_t i = 0; i < n && !progress; ++i) {
        const Threads drop = part(i);
        if (redundant(drop)) {
          c = without(c, drop);
          n = std::max<size_t>(n - 1, 2);
          progress = true;
        }
      }
      if (progress) continue;
      if (n >= c.size()) break;
      n *= 2;
    }
  }

  // Algorithm 2 for these threads, besides those already removed. If they are redundant, the run becomes the best.
  bool redundant(const Threads& drop) {
    if (drop.empty()) return true;
    Threads key = drop;
    for (const Skip& s : result_.best.data().skips) key.push_back(s.thread);
    std::sort(key.begin(), key.end());
    if (known_.contains(key)) return false;  // successes change the best, so that only failures are met again
    if (budget_.spent()) return false;
    ++result_.rounds;
    const Trace projected = run(projection(result_.best, drop));
    bool holds = same_bug_(projected);
    if (holds && !result_.sequential_bug && !budget_.spent()) holds = passes_in_turn(drop);
    if (!holds) {
      known_.insert(key);
      return false;
    }
    result_.removed.insert(result_.removed.end(), drop.begin(), drop.end());
    result_.best = projected;
    if (options_.progress) options_.progress({projected.counts(), budget_.executions(), "reduce"});
    return true;
  }

  bool reaches_check(const Trace& trace) const {
    for (const Event& e : trace.events()) {
      if (e.site == check_site_ && e.op == check_op_) return true;
    }
    return false;
  }
  // Evaluated and not satisfied: whatever happens after the check has been passed is not this bug. Where no place is known at which it is
  // evaluated, the run must come to an end of its own.
  bool check_passed(const Trace& in_turn) const {
    if (same_bug_(in_turn)) return false;
    if (check_site_ != kNoSite) return reaches_check(in_turn);
    const OutcomeKind kind = in_turn.outcome().kind;
    return !is_inconclusive(in_turn.outcome()) && kind != OutcomeKind::kDeadlock && kind != OutcomeKind::kLivelock;
  }

  // The whole program one thread after the other: does the bug need an interleaving at all, and in which order is its check reached?
  void look_in_turn() {
    Trace in_turn = run(sequential(result_.best, {}, false));
    result_.sequential_bug = same_bug_(in_turn);
    if (result_.sequential_bug || check_passed(in_turn) || budget_.spent()) return;
    in_turn = run(sequential(result_.best, {}, true));
    result_.sequential_bug = same_bug_(in_turn);
    bug_first_ = check_passed(in_turn);
    if (!bug_first_) check_site_ = kNoSite;  // reached in neither: then that the run ends without the bug has to do
  }

  // Definition 2, condition II; one sequential schedule is enough (its footnote).
  bool passes_in_turn(const Threads& drop) {
    const Trace in_turn = run(sequential(result_.best, drop, bug_first_));
    if (check_passed(in_turn)) return true;
    if (same_bug_(in_turn) || budget_.spent()) return false;
    return check_passed(run(sequential(result_.best, drop, !bug_first_)));
  }

  // The trace's schedule without the dropped threads and their descendants.
  Plan projection(const Trace& trace, const Threads& drop) const {
    std::vector<bool> gone(trace.threads().size());
    for (uint32_t t = 1; t < gone.size(); ++t) {
      gone[t] = gone[trace.threads()[t].parent] || std::find(drop.begin(), drop.end(), trace.threads()[t].id) != drop.end();
    }
    Schedule schedule;
    for (const TraceSlice& s : trace.slices()) {
      if (gone[s.thread]) continue;
      schedule.push_back({trace.threads()[s.thread].id, trace.events()[s.begin].number, trace.events()[s.end - 1].number});
    }
    Plan plan = plan_for(merged(std::move(schedule)), trace, limits_);
    for (ThreadId t : drop) plan.remove_thread(t);
    return plan;
  }

  // Each thread to its end or until it must wait, in order of birth; or main and then those of the bug before all others.
  Plan sequential(const Trace& trace, const Threads& drop, bool bug_first) const {
    Schedule order;
    if (bug_first) {
      order.push_back({kMainThread, 1, kForever});
      for (size_t e : bug_events(trace)) order.push_back({trace.thread_id(trace.events()[e]), 1, kForever});
    }
    Plan plan = plan_for(merged(std::move(order)), trace, limits_);
    plan.choices.clear();
    for (ThreadId t : drop) plan.remove_thread(t);
    return plan;
  }

  Trace run(const Plan& plan) {
    budget_.count();
    executor_.submit(plan);
    return executor_.next();
  }

  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const ReduceOptions& options_;
  Budget budget_;
  Limits limits_;
  ReduceResult result_;
  SiteId check_site_ = kNoSite;
  bool bug_first_ = false;  // the sequential order in which the whole program reaches its check
  Op check_op_ = Op::kNone;
  Threads needed_;           // at this level, found so far
  std::set<Threads> known_;  // sets of removed threads without which the criterion did not hold
};

}  // namespace

ReduceResult reduce(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const ReduceOptions& options) {
  return Reducer(failing, same_bug, executor, options).go();
}

}  // namespace heddle::simplify
