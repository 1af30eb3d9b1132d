#include "simplify/reduce.h"

#include <algorithm>
#include <set>

#include "simplify/budget.h"
#include "simplify/dependence.h"
#include "simplify/schedule.h"

namespace heddle {

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
    result_.sequential_bug = same_bug_(run(sequential(result_.best, {})));
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

  // The threads whose switches look like the cause: those on both sides of a preemption, and those that end in the bug.
  Threads suspects() const {
    const Trace& trace = result_.best;
    std::vector<bool> in(trace.threads().size());
    const auto slices = trace.slices();
    for (size_t i = 0; i + 1 < slices.size(); ++i) {
      if (slices[i].preempted) in[slices[i].thread] = in[slices[i + 1].thread] = true;
    }
    if (trace.outcome().kind == OutcomeKind::kDeadlock) {
      for (size_t e : bug_events(trace)) in[trace.events()[e].thread] = true;
    } else if (!slices.empty()) {
      in[slices.back().thread] = true;
    }
    for (uint32_t t = static_cast<uint32_t>(in.size()); t-- > 1;) {
      if (in[t]) in[trace.threads()[t].parent] = true;  // its ancestors come with it
    }
    Threads out;
    for (uint32_t t = 0; t < in.size(); ++t) {
      if (in[t]) out.push_back(trace.threads()[t].id);
    }
    return out;
  }

  static Threads without(const Threads& all, const Threads& some) {
    Threads out;
    for (ThreadId t : all) {
      if (std::find(some.begin(), some.end(), t) == some.end()) out.push_back(t);
    }
    return out;
  }

  // Leaves a 1-minimal subset of `all`. The suspects alone come first; then bisection from the end, which finds k needed threads of n in
  // about k log n rounds where removal is monotone (Junker 2004); then ddmin (LEAN Fig. 3), which makes 1-minimality sure.
  void minimise(Threads all) {
    const Threads suspected = suspects();
    const Threads hinted = without(all, without(all, suspected));
    if (hinted.size() < all.size() && redundant(without(all, hinted))) {
      all = hinted;
    } else {
      all = bisect(all);
    }
    ddmin(all);
  }

  Threads bisect(const Threads& all) {
    const size_t kMost = all.size();
    Threads needed;
    size_t limit = kMost;  // only all[0, limit) and `needed` are still in
    while (limit > 0 && !budget_.spent()) {
      if (needed.size() > 8 && needed.size() * 4 > kMost) break;  // nearly everything is needed: ddmin's complements are cheaper
      // The least n such that all[0, n) and the needed ones fail.
      size_t low = 0, high = limit;
      while (low < high && !budget_.spent()) {
        const size_t middle = low + (high - low) / 2;
        Threads keep(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(middle));
        keep.insert(keep.end(), needed.begin(), needed.end());
        if (redundant(without(present(all), keep))) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      if (high == 0) break;
      needed.insert(needed.begin(), all[high - 1]);
      limit = high - 1;
    }
    return present(all);
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
    if (holds && !result_.sequential_bug && !budget_.spent()) {
      const Trace in_turn = run(sequential(result_.best, drop));
      holds = !is_failure(in_turn.outcome()) && !is_inconclusive(in_turn.outcome()) && reaches_check(in_turn);
    }
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
    if (check_site_ == kNoSite) return true;
    for (const Event& e : trace.events()) {
      if (e.site == check_site_ && e.op == check_op_) return true;
    }
    return false;
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

  Plan sequential(const Trace& trace, const Threads& drop) const {
    Plan plan = plan_for({}, trace, limits_);
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
  Op check_op_ = Op::kNone;
  std::set<Threads> known_;  // sets of removed threads without which the criterion did not hold
};

}  // namespace

ReduceResult reduce(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const ReduceOptions& options) {
  return Reducer(failing, same_bug, executor, options).go();
}

}  // namespace heddle
