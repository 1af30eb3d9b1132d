#include "simplify/doomed.h"

#include <algorithm>

#include "simplify/budget.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

namespace {

class Prophet {
 public:
  Prophet(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const DoomedOptions& options)
      : failing_(failing),
        same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        limits_(run_limits(failing, options.limits)) {}

  DoomedResult go() {
    // Doomed stays doomed, so that bisection finds the first; where sampling makes it waver, the pair found still is adjacent and as counted.
    size_t saved = 0, doomed = failing_.events().size();
    DoomedProbe before = probe(0, false);
    if (is_doomed(before) && !cut_) {
      result_.found = result_.from_start = true;
      result_.after = before;
      return finish();
    }
    while (saved + 1 < doomed && !cut_) {
      const size_t middle = saved + (doomed - saved) / 2;
      if (is_doomed(probe(middle, false))) {
        doomed = middle;
      } else {
        saved = middle;
      }
    }
    if (!cut_ && doomed > 0) {
      result_.before = probe(saved, true);
      result_.after = probe(doomed, true);
    }
    if (cut_ || doomed == 0) {
      result_.why = "the runs ended before the point was found";
      return finish();
    }
    result_.found = true;
    result_.event = doomed - 1;
    return finish();
  }

 private:
  DoomedResult finish() {
    result_.executions = budget_.executions();
    result_.seconds = budget_.elapsed();
    return std::move(result_);
  }

  static bool is_doomed(const DoomedProbe& p) { return p.passed == 0 && p.failed > p.unresolved; }

  // `all`: count every sample; else stop at the first continuation that does not fail.
  DoomedProbe probe(size_t events, bool all) {
    DoomedProbe p;
    p.events = events;
    for (size_t begin = 0; begin < options_.samples && (all || p.passed == 0); begin += kBatch) {
      const size_t end = std::min(begin + kBatch, options_.samples);
      if (budget_.spent()) {
        cut_ = true;
        break;
      }
      for (size_t i = begin; i < end; ++i) {
        executor_.submit(continuation(events, i));
        budget_.count();
      }
      for (size_t i = begin; i < end; ++i) {
        const Trace trace = executor_.next();
        if (same_bug_(trace)) {
          ++p.failed;
        } else if (is_inconclusive(trace.outcome())) {
          ++p.unresolved;
        } else {
          ++p.passed;
        }
      }
    }
    result_.probes.push_back(p);
    return p;
  }

  // The run's first events; then, without preemption, each thread first in its turn; then, for the rest of the samples, random walks of
  // long and of short stretches.
  Plan continuation(size_t events, size_t sample) const {
    Schedule schedule;
    for (size_t i = 0; i < events; ++i) {
      const Event& e = failing_.events()[i];
      const ThreadId id = failing_.thread_id(e);
      if (schedule.empty() || schedule.back().thread != id) schedule.push_back({id, e.number, e.number});
      schedule.back().last = e.number;
    }
    Plan plan = plan_for(schedule, failing_, limits_);
    // Choices that belong to the prefix; later ones are part of the walk.
    std::erase_if(plan.choices, [&](const Choice& c) {
      for (auto i = schedule.rbegin(); i != schedule.rend(); ++i) {
        if (i->thread == c.thread) return c.number > i->last;
      }
      return true;
    });
    const size_t turns = std::min(failing_.threads().size(), options_.samples / 2);
    if (sample < turns) {
      plan.slices.push_back({failing_.threads()[failing_.threads().size() - 1 - sample].id, ~uint64_t{0}});
      return plan;
    }
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = mix(options_.seed, sample);
    plan.tail.stay = sample % 2 == 0 ? 60'000 : 16'000;
    return plan;
  }

  const Trace& failing_;
  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const DoomedOptions& options_;
  Budget budget_;
  Limits limits_;
  bool cut_ = false;
  DoomedResult result_;
};

}  // namespace

DoomedResult doomed(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const DoomedOptions& options) {
  return Prophet(failing, same_bug, executor, options).go();
}

}  // namespace heddle::simplify
