#pragma once
// The doomed point: the first event of a failing run after which every sampled continuation fails too. Before it the run could still have
// been saved.
#include "simplify/simplify.h"

namespace heddle::simplify {

struct DoomedOptions {
  size_t samples = 24;  // continuations for each prefix
  uint64_t seed = 1;
  size_t max_executions = 0;
  double seconds = 0;
  const std::atomic<bool>* stop = nullptr;
  Limits limits{0, 10'000};
};

// How the continuations of the run's first `events` events ended.
struct DoomedProbe {
  size_t events = 0;
  size_t failed = 0;      // with the same bug
  size_t passed = 0;      // otherwise, other failures included
  size_t unresolved = 0;  // said nothing about the program
};

struct DoomedResult {
  bool found = false;
  std::string why;            // if not
  size_t event = 0;           // index in the failing trace; meaningless if `from_start`
  bool from_start = false;    // every continuation of the empty run fails: no schedule is known that passes
  DoomedProbe before, after;  // without and with that event
  std::vector<DoomedProbe> probes;
  size_t executions = 0;
  double seconds = 0;
};

DoomedResult doomed(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const DoomedOptions& options = {});

}  // namespace heddle::simplify
