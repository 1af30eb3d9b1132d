// One-time initialisation: pthread_once and the guards of function-local statics. The control words are the state, in the layout that
// glibc and the C++ ABI give them, so that a word initialised before we came is understood.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/once.h"
#include "runtime/base/real.h"
#include "runtime/calls/once.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/race_clocks.h"
#include "runtime/memory/races.h"

using namespace heddle;
using namespace heddle::rt;

namespace heddle::rt {

namespace {

enum UnwindAction { kUnwindCleanup = 2 };
enum UnwindReason { kUnwindOn = 8 };

// The end of an initialisation, completed or not, comes before the next attempt's beginning.
void leave(Op op, const volatile void* object, SiteId site, bool completes) {
  if (!active()) return;
  Pending p{};
  p.op = op;
  p.address = const_cast<const void*>(object);
  p.object = object_of(p.address);
  p.site = site;
  Event* e = point(p);
  if (!completes) e->flags |= kFailed;
}

void leave_once(const OnceMark& mark, bool completes) {
  leave(Op::kOnceLeave, mark.word, mark.site, completes);
  *mark.word = completes ? kOnceDone : kOnceFresh;
}

// Marks below this frame were left by a jump, which nobody is told of.
void enter_once(ThreadSlot* me, const OnceMark& mark) {
  while (me->once_count > 0 && me->onces[me->once_count - 1].frame < mark.frame) --me->once_count;
  if (me->once_count < kMaxOnces) me->onces[me->once_count++] = mark;
}

void forget_once(ThreadSlot* me, const void* frame) {
  while (me->once_count > 0 && me->onces[me->once_count - 1].frame <= frame) --me->once_count;
}

}  // namespace

void give_up_once(ThreadSlot* me) {
  const OnceMark mark = me->onces[--me->once_count];
  leave_once(mark, false);
}

// The unwinder passes heddle_call_once: this is its personality routine. The initialiser has not completed, and whoever comes next
// runs it again.
extern "C" __attribute__((visibility("hidden"))) int heddle_once_unwinds(int /*version*/, int actions, uint64_t /*kind*/,
                                                                         void* /*exception*/, void* /*context*/) {
  if ((actions & kUnwindCleanup) != 0 && g_current != nullptr && g_current->once_count != 0) give_up_once(g_current);
  return kUnwindOn;
}
extern "C" __attribute__((visibility("hidden"))) void heddle_call_once(void (*initialise)());

}  // namespace heddle::rt

HEDDLE_EXPORT int pthread_once(pthread_once_t* control, void (*initialise)()) {
  if (!active()) return real().pthread_once(control, initialise);
  auto* word = reinterpret_cast<volatile int*>(control);
  // Done long ago is no synchronisation worth a point: programs call this on every use. It still orders what follows after what was done.
  if (*word == kOnceDone) {
    if (detecting()) annotated(control, Annotation::kAcquire);
    return 0;
  }
  const SiteId site = point(Op::kOnceEnter, control, __builtin_return_address(0))->site;
  if (*word == kOnceDone) return 0;
  *word = kOnceBusy;
  ThreadSlot* me = g_current;
  const OnceMark mark{word, site, __builtin_frame_address(0)};
  enter_once(me, mark);
  heddle_call_once(initialise);
  forget_once(me, mark.frame);
  leave_once(mark, true);
  return 0;
}

// The guard: byte 0 = initialised, byte 1 = in use (Itanium C++ ABI 3.3.3, and libstdc++'s use of the spare bytes).
HEDDLE_EXPORT int __cxa_guard_acquire(uint64_t* guard) {
  auto* bytes = reinterpret_cast<volatile char*>(guard);
  if (bytes[0] != 0) {
    if (active() && detecting()) annotated(guard, Annotation::kAcquire);
    return 0;
  }
  if (active()) {
    point(Op::kGuardEnter, guard, __builtin_return_address(0));
    if (bytes[0] != 0) return 0;
  }
  bytes[1] = 1;
  return 1;
}

HEDDLE_EXPORT void __cxa_guard_release(uint64_t* guard) {
  auto* bytes = reinterpret_cast<volatile char*>(guard);
  if (active()) point(Op::kGuardLeave, guard, __builtin_return_address(0));
  bytes[1] = 0;
  __atomic_store_n(const_cast<char*>(bytes), 1, __ATOMIC_RELEASE);
}

// The initialisation has thrown: the next thread tries it again, after all that this one did.
HEDDLE_EXPORT void __cxa_guard_abort(uint64_t* guard) {
  if (active()) leave(Op::kGuardLeave, guard, caller_site(__builtin_return_address(0)), false);
  reinterpret_cast<volatile char*>(guard)[1] = 0;
}
