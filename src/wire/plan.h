#pragma once
// The plan as it lies in shared memory: a header and flat arrays behind it. The tool's own Plan (trace/plan.h) encodes to this.
#include "wire/code_point.h"
#include "wire/ids.h"
#include "wire/iteration.h"

namespace heddle {

// Operations of `thread` numbered <= until execute; the switch comes at the point before until + 1.
// Counted in this thread's own operations: dropping another thread's slice must not move the boundary.
struct Slice {
  ThreadId thread;
  uint64_t until;
};

// The value of a choice that is not "who runs next", made at the thread's own operation `number`: which waiter wakes (its ThreadId),
// how a wait ends, how many bytes a read returns...
struct Choice {
  ThreadId thread;
  uint64_t number;
  uint64_t value;
};
// The value of a Choice at a timed wait that a plan lets end by its time-out.
inline constexpr uint64_t kChoiceTimeout = 1;
// The value of a Choice at a wait on a condition that a plan lets end without a signal.
inline constexpr uint64_t kChoiceSpurious = 2;

enum class PolicyKind : uint32_t {
  kStay = 0,   // no preemption, fair: give way only when blocked, yielding or spinning
  kRandom,     // uniform over the enabled threads, staying with probability `stay`
  kPct,        // priorities by (seed, thread); depth - 1 change points over `length` steps
  kPos,        // partial-order sampling: a fresh priority for each pending operation that raced with the one executed
  kSurw,       // uniform walk weighted by the events each thread still has (`weights`)
  kRace,       // race-directed: threads at a marked site or object wait for each other, then a coin decides
  kTimeSlice,  // a fair quantum of operations a thread, as an ordinary machine would give
  kFifo,       // preempted threads go to the end of a first-in first-out dispatch queue (Choi & Zeller 3.3)
  kDelay,      // round-robin without preemption but for the delays, which skip a thread (delay bounding). New ones come last
};

// Random numbers are functions of (seed, step) and (seed, thread), never of a state: a plan can be installed after a fork in mid-run.
struct PolicySpec {
  PolicyKind kind;
  uint32_t depth;  // kPct, kDelay
  uint64_t seed;
  uint32_t stay;      // kRandom: out of 65536; kStay: not 0 lets choices that the plan does not make be drawn by the seed
  uint16_t early;     // how many time-outs may fire early (--early-timeouts): of at most a second, or as policy/point_view.h says
  uint16_t spurious;  // how many waits on conditions may end without a signal (--spurious-wakeups)
  uint64_t length;    // kPct: expected number of steps; kPos, kRandom: the longest wait that may end early, in ms; 0 = a second
  uint64_t quantum;   // kTimeSlice, kFifo: operations; kPos, kRandom: early ends come at one step in so many; 0 = at any
};

// Are choices other than who runs drawn even where a slice has decided who runs? Tinertia's relaxed replay does so.
constexpr bool draws_in_slices(const PolicySpec& tail) { return tail.kind == PolicyKind::kStay && tail.stay != 0; }

enum class PointKind : uint32_t { kSync = 0, kAtomics, kRacy, kAll, kFunctions };

// What an instrumented program is watched for besides, at every access whether it is a point or not. Costs time, changes no schedule.
enum DetectFlag : uint32_t {
  kDetectRaces = 1 << 0,
};

// Whose clock the program sees. A run that is given the readings of a recorded one takes those, whatever its plan says.
enum class TimeKind : uint32_t {
  kVirtual = 0,  // time passes with events: the same in every run
  kReal,         // the machine's, recorded as it was read
};

enum class Strictness : uint32_t {
  kRelaxed = 0,  // Tinertia 4.2.1: a blocked slice is skipped, the tail policy goes on after the last
  kStrict = 1,   // any slice that cannot run as written ends the run as diverged
};

// A thread's share, for kSurw, or any number a policy keeps by thread.
struct Weight {
  ThreadId thread;
  uint64_t count;
};

// kBirth: the thread is not created at all, and its number passed over, so that those after it keep their names.
enum class SkipKind : uint32_t { kThread = 0, kIteration, kStatement, kBirth };
// A part of the program that this run leaves out (LEAN 3.1, 3.2).
struct Skip {
  SkipKind kind;
  uint32_t more;  // kIteration, kStatement: so many that follow it, too
  ThreadId thread;
  LoopId loop;         // kIteration; kStatement: its name
  uint64_t iteration;  // its number
};
// The order in which they lie in a plan's block.
constexpr bool skips_before(const Skip& a, const Skip& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.thread != b.thread) return a.thread < b.thread;
  if (a.loop != b.loop) return a.loop < b.loop;
  return a.iteration < b.iteration;
}

struct Limits {
  uint64_t events;       // a run of more is kLimit (or kLivelock when nothing but spinning happened at the end)
  uint64_t watchdog_ms;  // computing without a point for longer is kCannotControl
};

struct PlanHeader {
  uint32_t version;
  Strictness strictness;
  PolicySpec tail;
  Limits limits;
  uint64_t env_seed;
  uint64_t input_id;
  uint64_t points_id;  // names the point set of the epoch
  PointKind points;
  uint32_t detect;  // DetectFlag
  uint32_t slice_count, choice_count, weight_count, mark_count, skip_count, step_count, site_count;
  uint32_t code_count;
  TimeKind time;
};

// Reads a plan block: PlanHeader, then Slice[], Choice[], Weight[], marks (SiteId or ObjectId)[], Skip[], steps (uint64_t)[], sites[],
// CodePoint[] (wire/code_point.h).
// `steps` are positions in the run's global clock, sorted: change points of kPct given by the tool, delays, preemption times of kFifo.
// `sites`, sorted: the accesses that are points under PointKind::kRacy.
struct PlanView {
  const PlanHeader* header;
  const Slice* slices;
  const Choice* choices;  // sorted by (thread, number)
  const Weight* weights;
  const uint64_t* marks;
  const Skip* skips;
  const uint64_t* steps;
  const SiteId* sites;
  const CodePoint* code;

  static constexpr uint64_t bytes(const PlanHeader& h) {
    return sizeof(PlanHeader) + uint64_t{h.slice_count} * sizeof(Slice) + uint64_t{h.choice_count} * sizeof(Choice) +
           uint64_t{h.weight_count} * sizeof(Weight) + uint64_t{h.mark_count} * sizeof(uint64_t) + uint64_t{h.skip_count} * sizeof(Skip) +
           uint64_t{h.step_count} * sizeof(uint64_t) + uint64_t{h.site_count} * sizeof(SiteId) + uint64_t{h.code_count} * sizeof(CodePoint);
  }
  static PlanView over(const void* block) {
    PlanView v{};
    v.header = static_cast<const PlanHeader*>(block);
    v.slices = reinterpret_cast<const Slice*>(v.header + 1);
    v.choices = reinterpret_cast<const Choice*>(v.slices + v.header->slice_count);
    v.weights = reinterpret_cast<const Weight*>(v.choices + v.header->choice_count);
    v.marks = reinterpret_cast<const uint64_t*>(v.weights + v.header->weight_count);
    v.skips = reinterpret_cast<const Skip*>(v.marks + v.header->mark_count);
    v.steps = reinterpret_cast<const uint64_t*>(v.skips + v.header->skip_count);
    v.sites = v.steps + v.header->step_count;
    v.code = reinterpret_cast<const CodePoint*>(v.sites + v.header->site_count);
    return v;
  }
};
static_assert(sizeof(PlanHeader) % 8 == 0 && sizeof(Skip) % 8 == 0);

}  // namespace heddle
