#pragma once
// A claim about the order of operations that decides between pass and fail, with what running other orders showed. The claim is made
// and tested by simplify/causality.h and told by the report.
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

enum class CauseKind {
  kNone,
  kWindow,  // fails if others run after `first` and before `second`, two operations of the same thread
  kOrder,   // fails if `first` comes before `second`, operations of two threads
};

// An operation, by what survives a change of schedule. `step` is its index in the failing trace, kNoDifference where it has none.
struct CauseEvent {
  ThreadId thread = kNoThread;
  Op op = Op::kNone;
  ObjectId object = kNoObject;
  SiteId site = kNoSite;
  size_t step = kNoDifference;
};

// How many different event orders (order_hash) ended how.
struct CauseSide {
  size_t failed = 0;  // with this bug
  size_t passed = 0;
  size_t other = 0;  // another failure, or nothing that says anything about the program

  size_t orders() const { return failed + passed + other; }
};

// The first event of the failing run after which every sampled continuation fails too (simplify/doomed.h).
struct DoomedPoint {
  bool known = false;
  bool from_start = false;                                          // no schedule is known that passes
  size_t step = kNoDifference;                                      // index in the failing trace
  size_t failed_before = 0, sampled_before = 0, sampled_after = 0;  // continuations without that event, and with it
};

// One of several orders that are enough for the failure together: `first` comes before `second`, operations of two threads.
struct CausePart {
  CauseEvent first, second;
  CauseSide without;  // runs that keep all the others and turn this one round
};

struct Cause {
  CauseKind kind = CauseKind::kNone;
  CauseEvent first, second;
  ThreadId other = kNoThread;    // kWindow: who runs inside
  CauseEvent between;            // kWindow: what it does there; kNone: anything
  bool any_thread = false;       // kWindow: whichever threads play the two parts
  CauseSide inside, outside;     // orders for which the claim foretells failure, and the rest
  std::vector<CausePart> parts;  // each necessary, together enough; empty: no such set is known
  CauseSide together;            // runs that keep all of them
  DoomedPoint doomed;
  size_t executions = 0;
  double seconds = 0;

  // Did every order in which it holds fail? And is there none that failed without it?
  bool enough() const { return inside.failed > 0 && inside.failed == inside.orders(); }
  bool needed() const { return inside.failed > 0 && outside.passed > 0 && outside.failed == 0; }
  // Did every order behave as the claim says, with orders on both sides?
  bool exact() const {
    return inside.failed > 0 && inside.passed == 0 && inside.other == 0 && outside.passed > 0 && outside.failed == 0 && outside.other == 0;
  }
};

}  // namespace heddle::trace
