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

namespace {

void undo_once(void* control) { *static_cast<volatile int*>(control) = kOnceFresh; }

}  // namespace

HEDDLE_EXPORT int pthread_once(pthread_once_t* control, void (*initialise)()) {
  if (!active()) return real().pthread_once(control, initialise);
  auto* word = reinterpret_cast<volatile int*>(control);
  // Done long ago is no synchronisation worth a point: programs call this on every use. It still orders what follows after what was done.
  if (*word == kOnceDone) {
    if (detecting()) annotated(control, true);
    return 0;
  }
  point(Op::kOnceEnter, control, __builtin_return_address(0));
  if (*word == kOnceDone) return 0;
  *word = kOnceBusy;
  pthread_cleanup_push(undo_once, const_cast<int*>(word));
  initialise();
  pthread_cleanup_pop(0);
  point(Op::kOnceLeave, control, __builtin_return_address(0));
  *word = kOnceDone;
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

HEDDLE_EXPORT void __cxa_guard_abort(uint64_t* guard) { reinterpret_cast<volatile char*>(guard)[1] = 0; }
