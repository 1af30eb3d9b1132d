// Barriers: glibc's words count the arrivals, the queue of waiters is ours. Two operations: arrive, and pass when the round is complete.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>

#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/library_access.h"
#include "runtime/outside/external_wait.h"
#include "runtime/outside/shared_objects.h"

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* b) {
  if (!active()) return real().pthread_barrier_wait(b);
  auto* words = reinterpret_cast<BarrierWords*>(b);
  ThreadSlot* me = g_current;
  Pending p{};
  p.op = Op::kBarrierArrive;
  p.address = b;
  p.object = object_of(b);
  p.site = caller_site(__builtin_return_address(0));
  Event* arrival = point(p);
  if (words->needed == 0) end_run(OutcomeKind::kMisuse, 0, "wait on a barrier that is not initialised, or was destroyed");
  const bool shared = words->shared != 0;
  arrival->value = words->needed;
  if (shared) arrival->flags |= kShared;
  me->wait.arrival = __atomic_add_fetch(&words->in, 1, __ATOMIC_SEQ_CST);
  const bool last = me->wait.arrival - words->current == words->needed;
  me->wait.on = b;
  me->wait.ended = last;
  me->wait.order = ++g_run.wait_order;
  if (last) {
    words->current = me->wait.arrival;
    if (!shared) words->out = me->wait.arrival;
    wake(b, UINT32_MAX, nullptr);
    if (shared) sys(SYS_futex, &words->current, FUTEX_WAKE, INT_MAX);
  }
  p.op = Op::kBarrierLeave;
  if (shared) {
    p.second = b;
    be_patient(p);
  }
  point(p);
  me->wait.on = nullptr;
  // A private one may be gone by now: who passes first may destroy it.
  if (shared) __atomic_add_fetch(&words->out, 1, __ATOMIC_SEQ_CST);
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* b) {
  auto* words = reinterpret_cast<BarrierWords*>(b);
  if (words->shared == 0) words->needed = 0;
  sync_object_made(b, __builtin_return_address(0));
  if (active()) forget_object(b);
  return 0;
}
