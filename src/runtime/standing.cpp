#include "runtime/standing.h"

#include "runtime/model.h"
#include "runtime/placement.h"

namespace heddle::rt {

HEDDLE_APART Candidate g_standing[kMaxThreads];

void stands(const ThreadSlot& t) {
  const Pending& p = t.pending;
  g_standing[t.place] = {t.id,       t.index,  t.operations + 1, p.op,        g_standing[t.place].ready,
                         t.gave_way, p.object, p.site,           t.last_step, p.deadline};
  g_live[t.place].gate = gate_of(p);
}

}  // namespace heddle::rt
