#pragma once
// The next operations of the live threads, as the policies see them. The table is kept from one decision to the next: of a thread that waits,
// nothing changes but whether it can go on, and for most of them a look at one word says that.
#include "policy/point_view.h"
#include "runtime/engine/model.h"
#include "runtime/engine/thread.h"

namespace heddle::rt {

// In the order of g_live.
extern Candidate g_candidates[kMaxThreads];
extern uint32_t g_able[kMaxThreads];  // PointView::able

// The thread's pending operation, or how far it has come, is another one now.
inline void update_candidate(const ThreadSlot& t) {
  const Pending& p = t.pending;
  Candidate& c = g_candidates[t.place];
  c = {t.id, t.index, t.operations + 1, p.op, c.ready, t.gave_way, p.object, p.site, t.last_step, p.deadline};
  g_live[t.place].gate = gate_of(p);
}

}  // namespace heddle::rt
