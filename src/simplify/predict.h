#pragma once
// What a plan would do, computed from a trace alone: the director and the tail are followed over the recorded events as long as each of them
// finds the same past as in the trace. Saves the executions whose result is known.
#include <memory>
#include <unordered_set>

#include "simplify/dependence.h"
#include "simplify/schedule.h"
#include "trace/objects.h"

namespace heddle::simplify {

struct Prediction {
  bool faithful = false;  // every event kept its past, up to the bug: the run would fail alike
  Counts counts;          // if faithful
  bool blocked = false;   // an interval cannot be executed as planned, and nothing before it was unforeseeable
  uint64_t order = 0;     // names the planned order's class where the run is not foreseeable; 0 where not even that is known
};

class Predictor {
 public:
  explicit Predictor(const Trace& trace);
  Prediction predict(const Schedule& schedule) const;

 private:
  friend class Simulation;
  Trace trace_;
  Dependence dependence_;
  TraceObjects objects_;
  std::vector<std::vector<size_t>> own_;  // events of each thread
  std::vector<bool> bug_;
  size_t bug_count_ = 0;
};

// Traces longer than this are run rather than predicted.
inline constexpr size_t kPredictable = 200'000;

}  // namespace heddle::simplify
