#include "runtime/engine/carrier.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/base/check.h"
#include "runtime/base/context.h"
#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/engine/native.h"
#include "runtime/engine/run.h"
#include "runtime/engine/sanitizer.h"
#include "runtime/engine/spin.h"
#include "runtime/engine/thread_signals.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

int g_native;

namespace {

HEDDLE_APART uint32_t g_pool[kMaxThreads];
uint32_t g_pool_count;

bool has_fsgsbase() {
  static int known;
  if (known == 0) known = (getauxval(AT_HWCAP2) & 2) != 0 ? 1 : 2;
  return known == 1;
}

void futex_wake(volatile int* at) { sys(SYS_futex, at, FUTEX_WAKE_PRIVATE, 1); }

void wait_turn(void* argument) {
  auto* slot = static_cast<ThreadSlot*>(argument);
  slot->carrier.parked = 1;
  while (__atomic_load_n(&slot->carrier.go, __ATOMIC_ACQUIRE) == 0) sys(SYS_futex, &slot->carrier.go, FUTEX_WAIT_PRIVATE, 0, 0);
  slot->carrier.go = 0;
  slot->carrier.parked = 0;
}

void release(ThreadSlot* slot) {
  __atomic_store_n(&slot->carrier.go, 1, __ATOMIC_RELEASE);
  futex_wake(&slot->carrier.go);
}

struct HandOver {
  ThreadSlot* from;
  ThreadSlot* to;
};
void hand_over(void* argument) {
  auto* pair = static_cast<HandOver*>(argument);
  ThreadSlot* from = pair->from;
  release(pair->to);
  wait_turn(from);
}

// A donor: glibc has made its stack, TLS and descriptor. It parks; the fiber uses them; at the end it finishes what is left natively.
void* donor_main(void* argument) {
  auto* slot = static_cast<ThreadSlot*>(argument);
  slot->carrier.fs_base = reinterpret_cast<uintptr_t>(pthread_self());
  slot->tid = static_cast<pid_t>(sys(SYS_gettid));
  find_stack(slot);
  find_alternate_stack(slot);
  heddle_park(&slot->carrier.context, &slot->carrier.go, &slot->carrier.parked);
  if (slot->life == Life::kPooled) slot = static_cast<ThreadSlot*>(slot->argument);
  kUpward.run_thread(slot);
  return slot->result;
}

void* kernel_main(void* argument) {
  auto* slot = static_cast<ThreadSlot*>(argument);
  slot->carrier.fs_base = reinterpret_cast<uintptr_t>(pthread_self());
  slot->tid = static_cast<pid_t>(sys(SYS_gettid));
  find_stack(slot);
  kUpward.begin_identity(*slot);
  find_alternate_stack(slot);
  // The context is saved although this carrier does not use it: a forked child goes on from it as fibers.
  heddle_call_saved(&slot->carrier.context, wait_turn, slot);
  kUpward.adopt_identity(*slot);
  const uint64_t mask = kernel_mask(slot->signals.mask);
  sys(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, nullptr, 8);
  kUpward.run_thread(slot);
  return slot->result;
}

ThreadSlot* new_slot() {
  // A trace has a row for each.
  static_assert(kMaxThreads == 16384);
  if (g_thread_count >= kMaxThreads) end_run(OutcomeKind::kCannotControl, 0, "the program creates more than 16,384 threads in one run");
  ThreadSlot* slot = &g_threads[g_thread_count];
  memset(slot, 0, sizeof *slot);
  slot->index = g_thread_count++;
  return slot;
}

}  // namespace

void switch_to(ThreadSlot* next) {
  ThreadSlot* me = g_current;
  if (next == me) return;
  g_current = next;
  watch_switched();
  if (g_run.carrier == Carrier::kFiber) {
    if (__builtin_expect(masks_differ(*me, *next), 0)) kUpward.change_masks(me, next);
    if (has_fsgsbase()) {
      heddle_switch_fast(&me->carrier.context, next->carrier.context, next->carrier.fs_base);
    } else {
      heddle_switch_slow(&me->carrier.context, next->carrier.context, next->carrier.fs_base);
    }
  } else {
    HandOver pair{me, next};
    heddle_call_saved(&me->carrier.context, hand_over, &pair);
    kUpward.adopt_identity(*me);
  }
}

void find_stack(ThreadSlot* slot) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  slot->carrier.stack_low = static_cast<char*>(low);
  slot->carrier.stack_high = slot->carrier.stack_low + size;
}

// A sanitizer gives each thread one, before it begins.
void find_alternate_stack(ThreadSlot* slot) {
  stack_t stack;
  if (sys(SYS_sigaltstack, nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) != 0) return;
  slot->signals.alternate_stack = stack.ss_sp;
  slot->signals.alternate_size = stack.ss_size;
}

int spawn(ThreadSlot* slot, const pthread_attr_t* attributes) {
  // Donors take no signal, not even glibc's own: their stack is in use by the fiber.
  const uint64_t all = kernel_mask(~uint64_t{0});
  sys(SYS_rt_sigprocmask, 2, &all, &slot->signals.mask, 8);
  int detach_state = PTHREAD_CREATE_JOINABLE;
  auto* writable = const_cast<pthread_attr_t*>(attributes);
  if (attributes != nullptr) {
    pthread_attr_getdetachstate(attributes, &detach_state);
    // Joinable underneath: we wait for the kernel thread's end ourselves, or the heap's state would depend on its timing.
    if (detach_state == PTHREAD_CREATE_DETACHED) pthread_attr_setdetachstate(writable, PTHREAD_CREATE_JOINABLE);
  }
  // A mask of the thread's own: glibc would unblock signals in the donor with it.
  sigset_t wanted;
  const bool masked = attributes != nullptr && pthread_attr_getsigmask_np(attributes, &wanted) == 0;
  if (masked) pthread_attr_setsigmask_np(writable, nullptr);
  slot->carrier.process = static_cast<pid_t>(sys(SYS_getpid));
  const bool fiber = g_run.carrier == Carrier::kFiber;
  // What glibc allocates for the thread is no allocation of the program: whether it happens here, or happened when a pool was filled, must
  // not change the names of the program's blocks.
  const char managed = t_managed;
  t_managed = 0;
  const Native waits;
  const int error = create_known_thread(&slot->carrier.handle, attributes, fiber ? donor_main : kernel_main, slot);
  t_managed = managed;
  if (detach_state == PTHREAD_CREATE_DETACHED) {
    pthread_attr_setdetachstate(writable, PTHREAD_CREATE_DETACHED);
    slot->detached = true;
  }
  if (error == 0) {
    while (__atomic_load_n(&slot->carrier.parked, __ATOMIC_ACQUIRE) == 0) sys(SYS_sched_yield);
  }
  sys(SYS_rt_sigprocmask, 2, &slot->signals.mask, nullptr, 8);
  if (masked) {
    pthread_attr_setsigmask_np(writable, &wanted);
    memcpy(&slot->signals.mask, &wanted, sizeof slot->signals.mask);
  }
  return error;
}

namespace {

// A stack of ours, of the size that glibc would give: one of its own it may unmap when its thread ends, and a run that unmaps what was
// there before it cannot be undone (rewind.h). As glibc's, it has a page below it that nobody may touch.
bool give_stack(pthread_attr_t* attributes) {
  constexpr size_t kGuard = 4096;
  size_t size = 0;
  if (pthread_getattr_default_np(attributes) != 0) return false;
  pthread_attr_getstacksize(attributes, &size);
  const long at = sys(SYS_mmap, 0, size + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (at < 0 && at > -4096) return false;
  sys(SYS_mprotect, at, kGuard, PROT_NONE);
  return pthread_attr_setstack(attributes, reinterpret_cast<char*>(at) + kGuard, size) == 0;
}

}  // namespace

void fill_pool(uint32_t wanted) {
  if (g_run.carrier != Carrier::kFiber) return;
  while (g_pool_count < wanted) {
    // Pooled donors live at the end of the table until they are used: slots are numbered in order of creation.
    const uint32_t at = static_cast<uint32_t>(kMaxThreads) - 1 - g_pool_count;
    ThreadSlot* slot = &g_threads[at];
    memset(slot, 0, sizeof *slot);
    slot->life = Life::kPooled;
    pthread_attr_t attributes;
    if (!give_stack(&attributes) || spawn(slot, &attributes) != 0) return;
    pthread_attr_destroy(&attributes);
    g_pool[g_pool_count++] = at;
  }
}

uint32_t pooled_donors() { return g_pool_count; }

bool g_defaults_changed;

ThreadSlot* take_slot(const pthread_attr_t* attributes, int* error) {
  ThreadSlot* slot = new_slot();
  *error = 0;
  pthread_attr_t defaults;
  if (attributes == nullptr && g_defaults_changed && pthread_getattr_default_np(&defaults) == 0) {
    *error = spawn(slot, &defaults);
    pthread_attr_destroy(&defaults);
    if (*error == 0) return slot;
    --g_thread_count;
    return nullptr;
  }
  if (attributes == nullptr && g_pool_count > 0 && g_run.carrier == Carrier::kFiber) {
    ThreadSlot* donor = &g_threads[g_pool[--g_pool_count]];
    slot->carrier.context = donor->carrier.context;
    slot->carrier.fs_base = donor->carrier.fs_base;
    slot->carrier.handle = donor->carrier.handle;
    slot->tid = donor->tid;
    slot->carrier.process = donor->carrier.process;
    slot->carrier.stack_low = donor->carrier.stack_low;
    slot->carrier.stack_high = donor->carrier.stack_high;
    slot->signals.alternate_stack = donor->signals.alternate_stack;
    slot->signals.alternate_size = donor->signals.alternate_size;
    // The donor's entry function still holds the pooled slot's address: it finds its thread through that.
    donor->argument = slot;
    slot->carrier.donor = donor;
    sys(SYS_rt_sigprocmask, 2, nullptr, &slot->signals.mask, 8);
    return slot;
  }
  *error = spawn(slot, attributes);
  if (*error != 0) {
    --g_thread_count;
    return nullptr;
  }
  return slot;
}

void reap(ThreadSlot* slot) {
  if (slot->life == Life::kReaped || slot->index == 0) return;
  slot->life = Life::kReaped;
  if (slot->carrier.process == static_cast<pid_t>(sys(SYS_getpid))) {
    ThreadSlot* donor = slot->carrier.donor != nullptr ? slot->carrier.donor : slot;
    donor->carrier.context = slot->carrier.context;
    release(donor);
  } else {
    // It has no kernel thread in this process: tell glibc that it is gone, and let it have the stack back.
    *reinterpret_cast<volatile int*>(slot->carrier.handle + real().tid_offset) = 0;
  }
  // What glibc frees of the thread is not freed by the program: a thread of the pool has a stack of ours, for which glibc does more.
  const char managed = t_managed;
  t_managed = 0;
  const Native waits;
  real().pthread_join(slot->carrier.handle, nullptr);
  t_managed = managed;
}

}  // namespace heddle::rt

// The same function under the name by which debuggers stop at switches (wire/debug_map.h).
extern "C" __attribute__((visibility("default"), alias("_ZN6heddle2rt9switch_toEPNS0_10ThreadSlotE"))) void heddle_debug_switch(
    heddle::rt::ThreadSlot* next);
