// Cancellation, deferred: it takes effect at the points that POSIX names (waits, sleeps, reads...), as an operation of the cancelled thread.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/delivery.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// A thread that may be cancelled anywhere is cancelled as soon as it may be.
void be_cancelled_if_due(SiteId site) {
  Pending p{};
  p.site = site;
  if ((deliverable(*g_current, p) & signal_bit(kCancelSignal)) != 0) attend(g_current, p);
}

// The thread may compute from now on until it is cancelled, without a point at which somebody could get to do that: the others go first, as
// long as they move, and for some turns.
void let_others_cancel(SiteId site) {
  constexpr uint32_t kTurns = 64;
  for (uint32_t turn = 0, alone = 0; turn < kTurns && alone < 2; ++turn) {
    const uint64_t before = g_run.step;
    Pending p{};
    p.op = Op::kYield;
    p.site = site;
    point(p);
    alone = g_run.step == before + 1 ? alone + 1 : 0;
    be_cancelled_if_due(site);
  }
}

// A thread that only asks whether it has been cancelled may wait for just that, and nobody else runs meanwhile.
void give_way_in_a_loop(Pending& p) {
  constexpr uint32_t kPatientTests = 1'000;  // one that computes in between asks less often
  Cancellation& c = g_current->cancel;
  if (c.tested_at != g_current->operations) c.tests = 0;
  c.tested_at = g_current->operations;
  if (++c.tests < kPatientTests) return;
  p.op = Op::kYield;
  point(p);
}

}  // namespace

HEDDLE_EXPORT int pthread_cancel(pthread_t handle) {
  if (!active()) return real_io().pthread_cancel(handle);
  ThreadSlot* t = slot_of(handle);
  if (t == nullptr) return ESRCH;
  Pending p{};
  p.op = Op::kThreadCancel;
  p.object = make_object(ObjectKind::kThread, t->id, 0);
  p.site = caller_site(__builtin_return_address(0));
  point(p);
  if (t->life == Life::kLive) send_to_thread(t, kCancelSignal, nullptr);
  if (t == g_current) be_cancelled_if_due(p.site);
  return 0;
}

HEDDLE_EXPORT int pthread_setcancelstate(int state, int* old) {
  if (!active()) return real_io().pthread_setcancelstate(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  if (old != nullptr) *old = g_current->cancel.disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  g_current->cancel.disabled = state == PTHREAD_CANCEL_DISABLE;
  be_cancelled_if_due(caller_site(__builtin_return_address(0)));
  return 0;
}

HEDDLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  if (!active()) return real_io().pthread_setcanceltype(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  if (old != nullptr) *old = g_current->cancel.async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  g_current->cancel.async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  Pending p{};
  p.site = caller_site(__builtin_return_address(0));
  be_cancelled_if_due(p.site);
  if (g_current->cancel.async && !g_current->cancel.disabled) let_others_cancel(p.site);
  return 0;
}

HEDDLE_EXPORT void pthread_testcancel() {
  if (!active()) {
    real_io().pthread_testcancel();
    return;
  }
  Pending p{};
  p.site = caller_site(__builtin_return_address(0));
  p.cancels = true;
  if (deliverable(*g_current, p) != 0) {
    attend(g_current, p);
  } else {
    give_way_in_a_loop(p);
  }
}
