#pragma once
// Who runs next where the plan's slices do not say. One function a policy, one row in the table of policies.cpp.
#include "policy/moment.h"

namespace heddle {

// State that a policy keeps by thread within one run; indexed by slot.
struct PolicyThread {
  int64_t priority;   // kPct: 0 = not drawn yet
  uint32_t resets;    // kPos: how often its pending operation lost its priority
  uint32_t spare;
  uint64_t used;      // kSurw: events of its weight already executed; kTimeSlice: operations of the present quantum
};

struct PolicyState {
  PlanView plan;
  PolicyThread* threads;
  int64_t lowest;          // kPct: next priority for a thread that is pushed below all others
  uint64_t next_change;    // index of the next of the plan's steps
  uint32_t early_left;     // time-outs that may still fire early
  uint64_t quantum_start;  // step at which the current thread was given the processor
};

// Index of the thread to run. Called only when at least one candidate may run (see `runnable`).
using PolicyFunction = uint32_t (*)(PolicyState&, const Moment&);

struct PolicyRow {
  PolicyKind kind;
  const char* name;
  PolicyFunction pick;
};
const PolicyRow& policy_row(PolicyKind kind);
const PolicyRow* policy_rows(uint32_t* count);

uint32_t pick_stay(PolicyState&, const Moment&);
uint32_t pick_random(PolicyState&, const Moment&);
uint32_t pick_pct(PolicyState&, const Moment&);
uint32_t pick_time_slice(PolicyState&, const Moment&);

// May this candidate be picked? Ready ones always; timed-out ones when nobody is ready (earliest deadline only) or while the early budget lasts.
bool runnable(const PolicyState& state, const Moment& moment, uint32_t index);
// The same, without a thread that has just given way while another can run.
bool eligible(const PolicyState& state, const Moment& moment, uint32_t index);
// Least recently run among the eligible: the order of a fair dispatch queue.
uint32_t oldest_eligible(const PolicyState& state, const Moment& moment);

}  // namespace heddle
