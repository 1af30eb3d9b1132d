#include "simplify/causality.h"

#include <algorithm>
#include <unordered_set>

#include "simplify/budget.h"
#include "simplify/cause_finder.h"
#include "simplify/orders.h"
#include "simplify/schedule.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::simplify {

namespace {

constexpr size_t kReach = 24;     // how far a switch is moved, in operations of the stopped thread
constexpr size_t kTails = 6;      // continuations of each position
constexpr size_t kSamples = 120;  // other schedules, at most
constexpr size_t kEnough = 20;    // different orders that fail, and that pass
constexpr size_t kMostWindows = 3;
constexpr size_t kMostYields = 5;
constexpr size_t kSettled = 3;               // failing orders on which an exact claim rests
constexpr size_t kLongestForOrders = 4'000;  // events of a run whose orders are looked at one by one
constexpr size_t kMostForOrders = 900;       // runs
constexpr double kClearlyBetter = 0.1;       // of 2, as a claim is borne out
constexpr double kCredible = 1.4;
constexpr double kWorthTelling = 1.2;

class Laboratory {
 public:
  Laboratory(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const CausalityOptions& options)
      : failing_(failing),
        same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        limits_(run_limits(failing, options.limits)),
        cause_finder_(failing) {
    if (options.passing) near(*options.passing);
  }

  CausalityResult go() {
    const auto slices = failing_.slices();
    if (options_.passing) cause_finder_.add(*options_.passing, judge(*options_.passing));
    // Those first from which the thread came back: where it did not, the run had often gone wrong before and only shows it there. Of
    // these the last first: what comes before it is how the run got there. Where nobody was stopped against its will, those who gave way.
    const bool gave_way = failing_.preemptions() == 0;
    for (const bool comes_back : {true, false}) {
      for (size_t i = slices.size(); i-- > 0 && windows_.size() < (gave_way ? kMostYields : kMostWindows) && !sure();) {
        if (!(gave_way ? slices[i].preempted_paper : slices[i].preempted) || comes_back != came_back(i)) continue;
        window(i);
      }
    }
    // What bears out its claim best first.
    std::stable_sort(windows_.begin(), windows_.end(), [](const Tried& a, const Tried& b) {
      const double x = borne_out(a.cause), y = borne_out(b.cause);
      return x != y ? x > y : b.next_turn && !a.next_turn;
    });
    if (!windows_.empty()) window_begin_ = windows_.front().stopped;
    sample();
    cause_ = best_supported();
    all_of_it();
    return finish();
  }

 private:
  // A window that was tested by moving its switch.
  struct Tried {
    Cause cause;
    uint32_t thread = 0;
    uint64_t low = 0, high = 0;  // its edges, in the thread's own numbers
    size_t stopped = 0;          // slice that ends with the switch
    bool next_turn = false;      // it goes on with what it has done before: between two turns of a loop nothing is kept
  };

  // The share of orders that behave as the claim says, on either side: 2 is all of them.
  static double borne_out(const Cause& c) {
    if (c.inside.orders() == 0 || c.outside.orders() == 0) return 0;
    return static_cast<double>(c.inside.failed) / static_cast<double>(c.inside.orders()) +
           static_cast<double>(c.outside.passed) / static_cast<double>(c.outside.orders());
  }
  bool sure() const {
    return !windows_.empty() && borne_out(windows_.back().cause) >= kCredible &&
           !(windows_.back().next_turn && windows_.back().cause.inside.failed < kSettled);
  }

  // Told as the runs bear it out: by all of them where a claim holds good for them, else by those in which only the switch was moved.
  Cause best_supported() const {
    std::optional<Cause> best;
    for (const Tried& w : windows_) {
      const auto c = cause_finder_.window(w.thread, w.low, w.high);
      if (c && (!best || borne_out(*c) > borne_out(*best) + kClearlyBetter)) best = c;
    }
    if (best) return *best;
    const bool moved = !windows_.empty() && borne_out(windows_.front().cause) >= kCredible;
    if (moved) return windows_.front().cause;
    // What always fails, or never fails without it, is worth telling even where much else fails too.
    if (const auto c = cause_finder_.order(); c && (c->enough() || c->needed() || borne_out(*c) >= kWorthTelling)) return *c;
    return windows_.empty() ? Cause() : windows_.front().cause;
  }

  // Where no single claim is borne out on both sides by several orders: the set of orders that is.
  void all_of_it() {
    const bool settled = cause_.kind != CauseKind::kNone && cause_.exact() && cause_.inside.failed >= kSettled;
    if (settled || failing_.events().size() > kLongestForOrders || failing_.switches() == 0) return;
    const size_t before = budget_.executions();
    OrdersInput input{failing_, cause_finder_, {}, {}, limits_, options_.seed};
    input.run = [&](const std::vector<Plan>& plans) { return run(plans).size(); };
    input.spent = [&] { return budget_.spent() || budget_.executions() - before >= kMostForOrders; };
    const OrdersResult result = sufficient_orders(input);
    cause_.parts = result.parts;
    cause_.together = result.together;
  }

  CausalityResult finish() {
    cause_.executions = budget_.executions();
    cause_.seconds = budget_.elapsed();
    CausalityResult result;
    result.cause = cause_;
    result.passing = nearest_;
    return result;
  }

  bool came_back(size_t slice) const {
    const auto slices = failing_.slices();
    return std::any_of(slices.begin() + static_cast<std::ptrdiff_t>(slice) + 1, slices.end(),
                       [&](const TraceSlice& s) { return s.thread == slices[slice].thread; });
  }

  void near(const Trace& trace) {
    const size_t limit = std::min(trace.events().size(), failing_.events().size());
    size_t same = 0;
    while (same < limit && trace.thread_id(trace.events()[same]) == failing_.thread_id(failing_.events()[same]) &&
           trace.events()[same].op == failing_.events()[same].op)
      ++same;
    if (nearest_ && same <= nearest_same_) return;
    nearest_ = trace;
    nearest_same_ = same;
  }

  RunVerdict judge(const Trace& trace) {
    if (same_bug_(trace)) return RunVerdict::kFailed;
    if (is_inconclusive(trace.outcome()) || is_failure(trace.outcome())) return RunVerdict::kOther;
    near(trace);
    return RunVerdict::kPassed;
  }

  std::vector<Trace> run(const std::vector<Plan>& plans) {
    std::vector<Trace> traces;
    for (size_t begin = 0; begin < plans.size() && !budget_.spent(); begin += kBatch) {
      const size_t end = std::min(begin + kBatch, plans.size());
      for (size_t i = begin; i < end; ++i) {
        executor_.submit(plans[i]);
        budget_.count();
      }
      for (size_t i = begin; i < end; ++i) {
        traces.push_back(executor_.next());
        cause_finder_.add(traces.back(), judge(traces.back()));
      }
    }
    return traces;
  }

  void count(CauseSide& side, const Trace& trace, std::unordered_set<uint64_t>& seen) {
    if (!seen.insert(order_hash(trace)).second) return;
    switch (judge(trace)) {
      case RunVerdict::kFailed: ++side.failed; break;
      case RunVerdict::kPassed: ++side.passed; break;
      case RunVerdict::kOther: ++side.other; break;
    }
  }

  // The schedule with the switch after slice `stopped` moved to after operation `cut` of the same thread; up to where the thread has
  // caught up with its second stretch, `back`.
  Schedule moved(size_t stopped, size_t back, uint64_t cut, bool whole) const {
    const Schedule all = schedule_of(failing_);
    Schedule s(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(stopped));
    const ThreadId thread = all[stopped].thread;
    s.push_back({thread, all[stopped].first, cut});
    for (size_t i = stopped + 1; i < back; ++i) s.push_back(all[i]);
    if (back < all.size()) s.push_back({thread, cut + 1, std::max(all[back].last, cut)});
    if (whole) s.insert(s.end(), all.begin() + static_cast<std::ptrdiff_t>(std::min(back + 1, all.size())), all.end());
    return merged(std::move(s));
  }

  // A continuation: as it was, each thread first in its turn, random walks.
  Plan with_tail(size_t stopped, size_t back, uint64_t cut, size_t tail) const {
    if (tail == 0) return plan_for(moved(stopped, back, cut, true), failing_, limits_);
    Plan plan = plan_for(moved(stopped, back, cut, false), failing_, limits_);
    const size_t threads = std::min(failing_.threads().size(), kTails / 2);
    if (tail <= threads) {
      plan.slices.push_back({failing_.threads()[failing_.threads().size() - tail].id, ~uint64_t{0}});
      return plan;
    }
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = mix(options_.seed, tail);
    plan.tail.stay = tail % 2 == 0 ? 60'000 : 20'000;
    return plan;
  }

  void window(size_t stopped) {
    const auto slices = failing_.slices();
    const auto events = failing_.events();
    size_t back = stopped + 1;
    while (back < slices.size() && slices[back].thread != slices[stopped].thread) ++back;
    const uint64_t first = events[slices[stopped].begin].number;
    const uint64_t at = events[slices[stopped].end - 1].number;
    const uint64_t last = back < slices.size() ? events[slices[back].end - 1].number : at;
    auto fails = [&](uint64_t cut) {
      const auto traces = run({with_tail(stopped, back, cut, 0)});
      return !traces.empty() && judge(traces[0]) == RunVerdict::kFailed;
    };
    // The thread never came back: then later positions are operations that it has not done in this run.
    uint64_t low = at, high = at;
    while (low >= first && at - low < kReach && fails(low - 1)) --low;
    if (back < slices.size()) {
      while (high < last && high - at < kReach && fails(high + 1)) ++high;
    } else {
      while (high - at < kReach && fails(high + 1)) ++high;
    }
    if (budget_.spent()) return;
    // Positions on both sides of both edges first, then further out.
    std::vector<uint64_t> inside, outside;
    for (uint64_t cut = low; cut <= high && inside.size() < 4; ++cut) inside.push_back(cut);
    if (high > low && inside.back() != high) inside.push_back(high);
    for (uint64_t far = 1; far <= 3; ++far) {
      if (low >= far && low - far + 1 >= first) outside.push_back(low - far);
      if (high + far <= last || (back >= slices.size() && far == 1)) outside.push_back(high + far);
    }
    std::unordered_set<uint64_t> seen;
    Cause cause;
    cause.kind = CauseKind::kWindow;
    auto test = [&](const std::vector<uint64_t>& cuts, CauseSide& side) {
      std::vector<Plan> plans;
      for (size_t tail = 0; tail <= kTails; ++tail) {
        for (uint64_t cut : cuts) plans.push_back(with_tail(stopped, back, cut, tail));
      }
      if (plans.size() > 28) plans.resize(28);
      for (const Trace& trace : run(plans)) count(side, trace, seen);
    };
    test(inside, cause.inside);
    test(outside, cause.outside);
    if (cause.inside.failed == 0 || cause.outside.passed == 0) return;
    cause.first = event_numbered(slices[stopped].thread, low);
    cause.second = event_numbered(slices[stopped].thread, high + 1);
    if (cause.second.op == Op::kNone) {  // never executed: the thread's next operation when the run ended
      const Thread& t = failing_.threads()[slices[stopped].thread];
      cause.second = {t.id, t.pending, t.object, t.site, kNoDifference};
    }
    cause.other = failing_.threads()[slices[stopped + 1].thread].id;
    windows_.push_back({cause, slices[stopped].thread, low, high + 1, stopped, next_turn(cause)});
  }

  // From a lock given back to a lock asked for at a place where the thread has asked before.
  bool next_turn(const Cause& cause) const {
    const auto events = failing_.events();
    if (cause.first.step >= events.size() || !is_unlock(cause.first.op) || !is_lock_request(cause.second.op)) return false;
    return std::any_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(cause.first.step), [&](const Event& e) {
      return failing_.thread_id(e) == cause.second.thread && e.op == cause.second.op && e.site == cause.second.site;
    });
  }

  CauseEvent event_numbered(uint32_t thread, uint64_t number) const {
    const auto events = failing_.events();
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].thread == thread && events[i].number == number)
        return {failing_.thread_id(events[i]), events[i].op, events[i].object, events[i].site, i};
    }
    return {};
  }

  // Each thread runs as soon as it is created, as far as it gets: what a program that forgets to wait for its threads relies on.
  Plan children_first() const {
    Plan plan = plan_for({}, failing_, limits_);
    plan.choices.clear();
    std::vector<uint32_t> created(failing_.threads().size());
    for (const Event& e : failing_.events()) {
      if (e.op != Op::kThreadCreate) continue;
      plan.slices.push_back({failing_.thread_id(e), e.number});
      plan.slices.push_back({child_thread(failing_.thread_id(e), ++created[e.thread]), ~uint64_t{0}});
    }
    return plan;
  }

  // Other schedules, until enough different orders have been seen on both sides: random ones of the whole program, and ones that leave
  // the failing run before its deciding switch or right after it.
  void sample() {
    const Schedule all = schedule_of(failing_);
    run({children_first(), plan_for({}, failing_, limits_)});
    for (size_t i = 0; i < kSamples && !budget_.spent(); i += kBatch) {
      if (cause_finder_.failed() >= kEnough && cause_finder_.passed() >= kEnough) return;
      std::vector<Plan> plans;
      for (size_t k = i; k < i + kBatch; ++k) {
        const size_t kept = all.empty() ? 0 : k % 3 == 0 ? 0 : k % 3 == 1 ? window_begin_ : std::min(window_begin_ + 1, all.size() - 1);
        Plan plan = plan_for(Schedule(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)), failing_, limits_);
        if (kept == 0) plan.choices.clear();
        plan.tail.kind = PolicyKind::kRandom;
        plan.tail.seed = mix(options_.seed, 1000 + k);
        plan.tail.stay = k % 4 == 0 ? 60'000 : k % 4 == 1 ? 30'000 : k % 4 == 2 ? 50'000 : 0;
        plans.push_back(std::move(plan));
      }
      run(plans);
    }
  }

  const Trace& failing_;
  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const CausalityOptions& options_;
  Budget budget_;
  Limits limits_;
  Cause cause_;
  CauseFinder cause_finder_;
  std::vector<Tried> windows_;
  size_t window_begin_ = 0;  // slice that ends with the deciding switch
  std::optional<Trace> nearest_;
  size_t nearest_same_ = 0;
};

}  // namespace

CausalityResult causality(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                          const CausalityOptions& options) {
  return Laboratory(failing, same_bug, executor, options).go();
}

}  // namespace heddle::simplify
