// Barriers: the count of arrivals is ours. Two operations: arrive, and pass when the round is complete.
#include <errno.h>
#include <pthread.h>

#include "runtime/check.h"
#include "runtime/names.h"
#include "runtime/placement.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

struct Barrier {
  const void* address;
  uint32_t needed;
  uint32_t arrived;
};
constexpr uint32_t kMaxBarriers = 4096;
HEDDLE_APART Barrier g_barriers[kMaxBarriers];
uint32_t g_barrier_count;

Barrier* find(const void* address) {
  for (uint32_t i = 0; i < g_barrier_count; ++i) {
    if (g_barriers[i].address == address) return &g_barriers[i];
  }
  return nullptr;
}

}  // namespace

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attributes, unsigned count) {
  const int error = real().pthread_barrier_init(b, attributes, count);
  if (error != 0) return error;
  Barrier* known = find(b);
  if (known == nullptr) {
    HEDDLE_CHECK(g_barrier_count < kMaxBarriers);
    known = &g_barriers[g_barrier_count++];
  }
  *known = {b, count, 0};
  return 0;
}

HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* b) {
  Barrier* barrier = find(b);
  if (!active() || barrier == nullptr) return real().pthread_barrier_wait(b);
  ThreadSlot* me = g_current;
  Pending p{};
  p.op = Op::kBarrierArrive;
  p.address = b;
  p.object = object_of(b);
  p.site = caller_site(__builtin_return_address(0));
  point(p);
  const bool last = ++barrier->arrived == barrier->needed;
  me->waiting_on = b;
  me->signalled = last;
  me->wait_order = ++g_run.wait_order;
  if (last) {
    barrier->arrived = 0;
    wake(b, UINT32_MAX, nullptr);
  }
  p.op = Op::kBarrierLeave;
  point(p);
  me->waiting_on = nullptr;
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* b) {
  if (Barrier* barrier = find(b)) *barrier = g_barriers[--g_barrier_count];
  if (active()) forget_object(b);
  return 0;
}
