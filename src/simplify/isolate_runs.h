#pragma once
// What both ways of isolating share: runs, their verdicts, the budget, and the traces of the tested schedules.
#include "simplify/budget.h"
#include "simplify/isolate.h"

namespace heddle::simplify {

class IsolateRuns {
 public:
  IsolateRuns(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const IsolateOptions& options)
      : same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        limits_(run_limits(failing, options.limits)) {}

  TestOutcome judge(const Trace& trace) const;
  Trace run(const Plan& plan);
  bool spent() const { return budget_.spent(); }
  size_t executions() const { return budget_.executions(); }
  double elapsed() const { return budget_.elapsed(); }
  const Limits& limits() const { return limits_; }
  const IsolateOptions& options() const { return options_; }

  // delta_debug over schedules that `plan` turns into plans. The traces of the two schedules that are left come to result.passing and
  // result.failing, which hold those of the first two before.
  void narrow(const Times& passing, const Times& failing, const std::function<Plan(const Times&)>& plan,
              const std::function<bool(const Times&)>& valid, IsolateResult& result);

 private:
  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const IsolateOptions& options_;
  Budget budget_;
  Limits limits_;
};

void isolate_by_identity(const Trace& failing, IsolateRuns& runs, IsolateResult& result);

}  // namespace heddle::simplify
