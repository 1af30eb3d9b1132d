// One-time initialisation: pthread_once and the guards of function-local statics. The control words are the state, in the layout that
// glibc and the C++ ABI give them, so that a word initialised before we came is understood.
#include <errno.h>
#include <pthread.h>

#include "runtime/names.h"
#include "runtime/once.h"
#include "runtime/race_clocks.h"
#include "runtime/races.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

using namespace heddle;
using namespace heddle::rt;

namespace heddle::rt {

// An initialiser that runs, on the stack of pthread_once.
struct OnceFrame {
  volatile int* word;
  SiteId site;
  OnceFrame* outer;
};

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

void leave_once(const OnceFrame& frame, bool completes) {
  leave(Op::kOnceLeave, frame.word, frame.site, completes);
  *frame.word = completes ? kOnceDone : kOnceFresh;
}

}  // namespace

// The unwinder passes heddle_call_once: this is its personality routine. The initialiser has not completed, and whoever comes next
// runs it again.
extern "C" __attribute__((visibility("hidden"))) int heddle_once_unwinds(int /*version*/, int actions, uint64_t /*kind*/,
                                                                         void* /*exception*/, void* /*context*/) {
  if ((actions & kUnwindCleanup) != 0 && g_current != nullptr && g_current->onces != nullptr) {
    OnceFrame* frame = g_current->onces;
    g_current->onces = frame->outer;
    leave_once(*frame, false);
  }
  return kUnwindOn;
}
extern "C" __attribute__((visibility("hidden"))) void heddle_call_once(void (*initialise)());

}  // namespace heddle::rt

HEDDLE_EXPORT int pthread_once(pthread_once_t* control, void (*initialise)()) {
  if (!active()) return real().pthread_once(control, initialise);
  auto* word = reinterpret_cast<volatile int*>(control);
  // Done long ago is no synchronisation worth a point: programs call this on every use. It still orders what follows after what was done.
  if (*word == kOnceDone) {
    if (detecting()) annotated(control, true);
    return 0;
  }
  const SiteId site = point(Op::kOnceEnter, control, __builtin_return_address(0))->site;
  if (*word == kOnceDone) return 0;
  *word = kOnceBusy;
  // Frames below this one were left by a jump, which nobody is told of.
  ThreadSlot* me = g_current;
  OnceFrame frame{word, site, me->onces};
  while (frame.outer != nullptr && frame.outer < &frame) frame.outer = frame.outer->outer;
  me->onces = &frame;
  heddle_call_once(initialise);
  me->onces = frame.outer;
  leave_once(frame, true);
  return 0;
}

// The guard: byte 0 = initialised, byte 1 = in use (Itanium C++ ABI 3.3.3, and libstdc++'s use of the spare bytes).
HEDDLE_EXPORT int __cxa_guard_acquire(uint64_t* guard) {
  auto* bytes = reinterpret_cast<volatile char*>(guard);
  if (bytes[0] != 0) {
    if (active() && detecting()) annotated(guard, true);
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
