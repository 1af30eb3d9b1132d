#pragma once
// Who runs next where the plan's slices do not say. One file a policy, with its row.
#include "policy/point_view.h"
#include "wire/rows.h"

namespace heddle::policy {

// State that a policy keeps by thread within one run; indexed by slot.
struct PolicyThread {
  int64_t priority;  // kPct: 0 = not drawn yet; kRace: number of the operation it need not wait at
  uint32_t resets;   // kPos: how often its pending operation lost its priority; kSurw: indexed by weight row, is its thread born?
  uint32_t row;      // kSurw: its weight row + 1, or kNoRow
  uint64_t used;     // kSurw: indexed by weight row, selected events executed; kFifo: when it joined the queue, 0 = not in it
  uint64_t looked_object, looked_site;  // of the operation that was looked for among the plan's marks last
  bool marked;                          // and was there
};

struct PolicyState {
  PlanView plan;
  PolicySpec tail;  // the plan's: asked for at every point, and nearer here than in the shared memory
  PolicyThread* threads;
  int64_t lowest;          // kPct: next priority for a thread that is pushed below all others
  uint64_t next_change;    // index of the next of the plan's steps
  uint32_t early_left;     // time-outs that may still fire early
  uint32_t spurious_left;  // waits on conditions that may still end without a signal
  uint64_t quantum_start;  // steps executed when the current thread was given the processor
  uint64_t quantum_end;    // kTimeSlice: the step at which its turn ends; 0: not drawn yet
  uint32_t intended;       // kSurw: weight row + 1 whose thread executes the next selected event
  uint32_t last_slot;      // kDelay: slot + 1 of the last thread that ran
};
inline constexpr uint32_t kNoRow = 0xFFFFFFFF;

// Index of the thread to run. Called only when at least one candidate may run (see `runnable`).
using PolicyFunction = uint32_t (*)(PolicyState&, const PointView&);

struct PolicyRow {
  PolicyKind kind;
  const char* name;
  bool draws;  // choices other than who runs are drawn, too; else the first option is taken
  PolicyFunction pick;
  // May the current thread, which can run and has not given way, go on at this step without a look at the others? Null: never.
  bool (*keeps)(const PolicyState&, uint64_t step);
  bool alone = false;  // needs nothing that only a search puts into a plan: `heddle run --policy` offers it
};
HEDDLE_TABLE(policies, PolicyRow);
const PolicyRow& policy_row(PolicyKind kind);
// kStay lets the thread that ran last go on as long as it can and has not given way.
constexpr bool stays(Ready ready, bool gave_way) { return ready == Ready::kYes && !gave_way; }

// May this candidate be picked? Ready ones always; timed-out ones when nobody is ready (earliest deadline only) or while the early budget lasts.
bool runnable(const PolicyState& state, const PointView& view, uint32_t index);
bool eligible_after_looking(const PolicyState& state, const PointView& view, uint32_t index);
// The same, without a thread that has just given way while another can run.
inline bool eligible(const PolicyState& state, const PointView& view, uint32_t index) {
  const Candidate& c = view.threads[index];
  return (c.ready == Ready::kYes && !c.gave_way) || eligible_after_looking(state, view, index);
}
// Threads that wait by yielding would fill a schedule if a yield meant nothing. But it may mean nothing: in one step of eight, a function of seed
// and step, a thread that has just given way counts as any other that is ready.
constexpr bool forgets_yields(const PolicyState& state, uint64_t step) { return (mix(state.tail.seed ^ 0x71E1D, step) >> 61) == 0; }
// For the policies that draw: eligible, or given way at such a step.
inline bool drawable(const PolicyState& state, const PointView& view, uint32_t index) {
  const Candidate& c = view.threads[index];
  return eligible(state, view, index) || (c.gave_way && c.ready == Ready::kYes && forgets_yields(state, view.step));
}
// Would the two pending operations give another result in the other order?
bool racing(const Candidate& a, const Candidate& b);
// Is its site or its object among the plan's marks?
bool marked(const PolicyState& state, const Candidate& candidate);
// Least recently run among the eligible: the order of a fair dispatch queue.
uint32_t oldest_eligible(const PolicyState& state, const PointView& view);
// Of the threads that only a time-out can let go on, the one whose deadline comes first; kNobody if there is none.
uint32_t earliest_deadline(const PointView& view);

// Uniform among the candidates that `allows(index)` allows; kNobody if it allows none.
template <typename Allows>
uint32_t draw_one(const PointView& view, uint64_t draw, Allows allows) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < view.count; ++i) count += allows(i) ? 1 : 0;
  if (count == 0) return kNobody;
  uint64_t left = draw % count;
  for (uint32_t i = 0; i < view.count; ++i) {
    if (allows(i) && left-- == 0) return i;
  }
  return kNobody;
}

}  // namespace heddle::policy
