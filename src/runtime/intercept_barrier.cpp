// Barriers: glibc's words count the arrivals, the queue of waiters is ours. Two operations: arrive, and pass when the round is complete.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>

#include "runtime/library_access.h"
#include "runtime/names.h"
#include "runtime/outside.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/shared_objects.h"
#include "runtime/sys.h"

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
  point(p);
  if (words->needed == 0) end_run(OutcomeKind::kMisuse, 0, "wait on a barrier that is not initialised, or was destroyed");
  const bool shared = words->shared != 0;
  me->arrival = __atomic_add_fetch(&words->in, 1, __ATOMIC_SEQ_CST);
  const bool last = me->arrival - words->current == words->needed;
  me->waiting_on = b;
  me->signalled = last;
  me->wait_order = ++g_run.wait_order;
  if (last) {
    words->current = me->arrival;
    if (!shared) words->out = me->arrival;
    wake(b, UINT32_MAX, nullptr);
    if (shared) sys(SYS_futex, &words->current, FUTEX_WAKE, INT_MAX);
  }
  p.op = Op::kBarrierLeave;
  if (shared) {
    p.second = b;
    be_patient(p);
  }
  point(p);
  me->waiting_on = nullptr;
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
