#pragma once
// The smallest difference between a failing and a passing schedule: the one switch that decides (Choi & Zeller, ISSTA 2002).
#include <string>

#include "simplify/delta.h"
#include "simplify/simplify.h"

namespace heddle::simplify {

enum class IsolateBy {
  kAuto,      // by clock where the dispatch queue can make the failing run again, else by identity
  kClock,     // switches as times of a global clock, the next thread from a FIFO queue: as published
  kIdentity,  // switches as (thread, its n-th operation): survives changes of control flow elsewhere
};

struct IsolateOptions {
  IsolateBy by = IsolateBy::kAuto;
  bool other_failures_fail = false;  // count another failure as this one; else as unresolved (section 4.5)
  std::optional<Trace> passing;      // given, or the nearest one seen; else found by fuzzing
  size_t max_executions = 0;
  size_t fuzz_executions = 1000;  // the most that the search for a passing schedule may cost
  double seconds = 0;
  const std::atomic<bool>* stop = nullptr;
  uint64_t seed = 1;
  Limits limits{0, 10'000};
};

struct IsolateResult {
  bool isolated = false;
  std::string why;  // if not: the reason, in words
  IsolateBy by = IsolateBy::kClock;
  DeltaResult delta;
  size_t switch_number = 0;  // the deciding one among the schedule's switches, from 1
  uint64_t fails_at = 0;     // clock time, or number of the preempted thread's next operation, with which it fails...
  uint64_t passes_at = 0;    // ...and passes: one unit apart
  Trace failing, passing;    // the two runs that differ only there
  // Events of `failing`: the last before the deciding switch, and the first after it; kNoDifference where there is no such switch.
  size_t switch_from = kNoDifference, switch_to = kNoDifference;
  // The operation on whose side of the switch it depends: in `failing` or in `passing`, whichever has it before the switch.
  size_t decides = kNoDifference;
  bool decides_in_passing = true;
  size_t fuzz_executions = 0;
  size_t executions = 0;
  double seconds = 0;
};

IsolateResult isolate(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                      const IsolateOptions& options = {});

// Clock times of a run's preemptive switches: the number, from 1, of the first event after each.
Times preemption_times(const Trace& trace);

// Gaussian perturbation of each time, sorted (section 5); deterministic in (seed, attempt). `width` is the standard deviation.
Times fuzzed(const Times& times, double width, uint64_t seed);

}  // namespace heddle::simplify
