#include "simplify/causality.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "simplify/budget.h"
#include "simplify/schedule.h"
#include "trace/happens_before.h"

namespace heddle {

namespace {

constexpr size_t kReach = 24;    // how far a switch is moved, in operations of the stopped thread
constexpr size_t kTails = 6;     // continuations of each position
constexpr size_t kSamples = 48;  // schedules for claims about two operations
constexpr size_t kMostPairs = 4'000;
constexpr size_t kBatch = 4;  // under way at once, whatever the number of workers

enum class Verdict { kFailed, kPassed, kOther };

// An operation by what survives a change of schedule, and which of the thread's alike it is.
struct Key {
  ThreadId thread;
  Op op;
  ObjectId object;
  SiteId site;
  uint32_t nth;
  friend auto operator<=>(const Key&, const Key&) = default;
};

class Laboratory {
 public:
  Laboratory(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const CausalityOptions& options)
      : failing_(failing),
        same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        limits_(run_limits(failing, options.limits)) {
    if (options.passing) near(*options.passing);
  }

  CausalityResult go() {
    const auto slices = failing_.slices();
    size_t tried = 0;
    // The last preemption first: what comes before it is how the run got there.
    for (size_t i = slices.size(); i-- > 0 && tried < 3;) {
      if (!slices[i].preempted) continue;
      ++tried;
      if (window(i)) return finish();
    }
    cause_ = Cause();
    order();
    return finish();
  }

 private:
  CausalityResult finish() {
    cause_.executions = budget_.executions();
    cause_.seconds = budget_.elapsed();
    CausalityResult result;
    result.cause = cause_;
    result.passing = nearest_;
    return result;
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

  Verdict judge(const Trace& trace) {
    if (same_bug_(trace)) return Verdict::kFailed;
    if (is_inconclusive(trace.outcome()) || is_failure(trace.outcome())) return Verdict::kOther;
    near(trace);
    return Verdict::kPassed;
  }

  std::vector<Trace> run(const std::vector<Plan>& plans) {
    std::vector<Trace> traces;
    for (size_t begin = 0; begin < plans.size() && !budget_.spent(); begin += kBatch) {
      const size_t end = std::min(begin + kBatch, plans.size());
      for (size_t i = begin; i < end; ++i) {
        executor_.submit(plans[i]);
        budget_.count();
      }
      for (size_t i = begin; i < end; ++i) traces.push_back(executor_.next());
    }
    return traces;
  }

  void count(CauseSide& side, const Trace& trace, std::unordered_set<uint64_t>& seen) {
    if (!seen.insert(order_hash(trace)).second) return;
    switch (judge(trace)) {
      case Verdict::kFailed: ++side.failed; break;
      case Verdict::kPassed: ++side.passed; break;
      case Verdict::kOther: ++side.other; break;
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

  bool window(size_t stopped) {
    const auto slices = failing_.slices();
    const auto events = failing_.events();
    size_t back = stopped + 1;
    while (back < slices.size() && slices[back].thread != slices[stopped].thread) ++back;
    const uint64_t first = events[slices[stopped].begin].number;
    const uint64_t at = events[slices[stopped].end - 1].number;
    const uint64_t last = back < slices.size() ? events[slices[back].end - 1].number : at;
    auto fails = [&](uint64_t cut) {
      const auto traces = run({with_tail(stopped, back, cut, 0)});
      return !traces.empty() && judge(traces[0]) == Verdict::kFailed;
    };
    // The thread never came back: then later positions are operations that it has not done in this run.
    uint64_t low = at, high = at;
    while (low >= first && at - low < kReach && fails(low - 1)) --low;
    if (back < slices.size()) {
      while (high < last && high - at < kReach && fails(high + 1)) ++high;
    } else {
      while (high - at < kReach && fails(high + 1)) ++high;
    }
    if (budget_.spent()) return false;
    // Positions on both sides of both edges first, then further out.
    std::vector<uint64_t> inside, outside;
    for (uint64_t cut = low; cut <= high && inside.size() < 4; ++cut) inside.push_back(cut);
    if (high > low && inside.back() != high) inside.push_back(high);
    for (uint64_t far = 1; far <= 3; ++far) {
      if (low >= far && low - far + 1 >= first) outside.push_back(low - far);
      if (high + far <= last || (back >= slices.size() && far == 1)) outside.push_back(high + far);
    }
    std::unordered_set<uint64_t> seen;
    cause_ = Cause();
    cause_.kind = CauseKind::kWindow;
    auto test = [&](const std::vector<uint64_t>& cuts, CauseSide& side) {
      std::vector<Plan> plans;
      for (size_t tail = 0; tail <= kTails; ++tail) {
        for (uint64_t cut : cuts) plans.push_back(with_tail(stopped, back, cut, tail));
      }
      if (plans.size() > 28) plans.resize(28);
      for (const Trace& trace : run(plans)) count(side, trace, seen);
    };
    test(inside, cause_.inside);
    test(outside, cause_.outside);
    if (cause_.inside.failed == 0 || cause_.outside.passed == 0) return false;
    cause_.first = event_numbered(slices[stopped].thread, low);
    cause_.second = event_numbered(slices[stopped].thread, high + 1);
    if (cause_.second.op == Op::kNone) {  // never executed: what the thread stood before when the run ended
      const Thread& t = failing_.threads()[slices[stopped].thread];
      cause_.second = {t.id, t.pending, t.object, t.site, kNoDifference};
    }
    cause_.other = failing_.threads()[slices[stopped + 1].thread].id;
    return true;
  }

  CauseEvent event_numbered(uint32_t thread, uint64_t number) const {
    const auto events = failing_.events();
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].thread == thread && events[i].number == number)
        return {failing_.thread_id(events[i]), events[i].op, events[i].object, events[i].site, i};
    }
    return {};
  }

  struct Sample {
    Trace trace;
    Verdict verdict;
    std::map<Key, size_t> at;
  };

  Sample sample_of(const Trace& trace, Verdict verdict) const {
    Sample s{trace, verdict, {}};
    std::map<Key, uint32_t> met;
    for (size_t i = 0; i < trace.events().size(); ++i) {
      const Event& e = trace.events()[i];
      Key key{trace.thread_id(e), e.op, e.object, e.site, 0};
      key.nth = met[key]++;
      s.at[key] = i;
    }
    return s;
  }

  // Did a happen, and before b if b happened at all?
  static bool came_first(const Sample& s, const Key& a, const Key& b) {
    const auto x = s.at.find(a);
    if (x == s.at.end()) return false;
    const auto y = s.at.find(b);
    return y == s.at.end() || x->second < y->second;
  }

  // The pair of conflicting operations whose order tells failing from passing runs best.
  void order() {
    std::vector<Plan> plans;
    for (size_t i = 0; i < kSamples; ++i) {
      Plan plan = plan_for({}, failing_, limits_);
      plan.choices.clear();
      plan.tail.kind = PolicyKind::kRandom;
      plan.tail.seed = mix(options_.seed, 1000 + i);
      plan.tail.stay = i % 3 == 0 ? 60'000 : i % 3 == 1 ? 30'000 : 0;
      plans.push_back(std::move(plan));
    }
    std::vector<Sample> samples;
    std::unordered_set<uint64_t> seen;
    auto add = [&](const Trace& trace) {
      if (!seen.insert(order_hash(trace)).second) return;
      samples.push_back(sample_of(trace, judge(trace)));
    };
    add(failing_);
    if (options_.passing) add(*options_.passing);
    for (const Trace& trace : run(plans)) add(trace);
    const bool passes = std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.verdict == Verdict::kPassed; });
    if (!passes) return;

    // Candidates: conflicts of the failing run and of a passing one, the latest first.
    std::map<std::pair<Key, Key>, size_t> candidates;
    for (const Sample* s :
         {&samples[0], &*std::find_if(samples.begin(), samples.end(), [](const Sample& x) { return x.verdict == Verdict::kPassed; })}) {
      std::vector<const Key*> keys(s->trace.events().size());
      for (const auto& [key, index] : s->at) keys[index] = &key;
      const auto pairs = reversible_conflicts(s->trace, {kMostPairs, 8, 200});
      for (const EventPair& p : pairs) {
        const Key& a = *keys[p.first];
        const Key& b = *keys[p.second];
        const bool failing_side = s == &samples[0];
        auto& rank = candidates[failing_side ? std::pair(a, b) : std::pair(b, a)];
        rank = std::max(rank, p.second);
      }
    }
    const std::pair<Key, Key>* best = nullptr;
    double best_score = 0;
    for (const auto& [pair, rank] : candidates) {
      if (!came_first(samples[0], pair.first, pair.second)) continue;
      size_t fail_in = 0, fail = 0, pass_out = 0, pass = 0;
      for (const Sample& s : samples) {
        const bool in = came_first(s, pair.first, pair.second);
        if (s.verdict == Verdict::kFailed) ++fail, fail_in += in;
        if (s.verdict == Verdict::kPassed) ++pass, pass_out += !in;
      }
      const double score = static_cast<double>(fail_in) / static_cast<double>(fail) +
                           static_cast<double>(pass_out) / static_cast<double>(pass) +
                           1e-6 * static_cast<double>(rank) / static_cast<double>(failing_.events().size() + 1);
      if (score <= best_score) continue;
      best_score = score;
      best = &pair;
    }
    if (best == nullptr || best_score < 1.6) return;
    cause_.kind = CauseKind::kOrder;
    for (const Sample& s : samples) {
      CauseSide& side = came_first(s, best->first, best->second) ? cause_.inside : cause_.outside;
      switch (s.verdict) {
        case Verdict::kFailed: ++side.failed; break;
        case Verdict::kPassed: ++side.passed; break;
        case Verdict::kOther: ++side.other; break;
      }
    }
    cause_.first = event_of(best->first, samples[0]);
    cause_.second = event_of(best->second, samples[0]);
    cause_.other = cause_.second.thread;
  }

  static CauseEvent event_of(const Key& key, const Sample& failing) {
    const auto found = failing.at.find(key);
    return {key.thread, key.op, key.object, key.site, found == failing.at.end() ? kNoDifference : found->second};
  }

  const Trace& failing_;
  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const CausalityOptions& options_;
  Budget budget_;
  Limits limits_;
  Cause cause_;
  std::optional<Trace> nearest_;
  size_t nearest_same_ = 0;
};

}  // namespace

CausalityResult causality(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                          const CausalityOptions& options) {
  return Laboratory(failing, same_bug, executor, options).go();
}

}  // namespace heddle
