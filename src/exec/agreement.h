#pragma once
// How far a plan asks for what another run has done already, computed without a run.
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace heddle::exec {

// A finished run in the form in which plans are compared with it.
class Executed {
 public:
  // `root`: events before the first thread was created, which no plan decides.
  Executed(const Plan& plan, Trace trace, uint64_t root);

  // Events that a run under `plan` begins with just as this one did, all decided by the plan's slices, and how many of the slices it has
  // then done. At most `limit` events. Errs on the side of fewer.
  struct Agreement {
    uint64_t events = 0;
    uint64_t cursor = 0;
  };
  Agreement agreement(const Plan& plan, uint64_t limit) const;

  const Trace& trace() const { return trace_; }

 private:
  // An event whose course does not follow from who runs: a choice, or a wait that a time-out may end.
  struct Decided {
    uint64_t event;
    ThreadId thread;
    uint64_t number;
    uint64_t value;
    bool choice;
    bool by_default;  // so it goes, too, where a plan says nothing
  };
  Agreement follow_slices(const Plan& plan, uint64_t limit) const;
  uint64_t first_other_choice(const Plan& plan, uint64_t limit) const;

  Trace trace_;
  uint64_t root_;
  std::vector<Skip> skips_;
  std::vector<Decided> decided_;
};

}  // namespace heddle::exec
