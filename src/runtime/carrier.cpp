#include "runtime/carrier.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/check.h"
#include "runtime/context.h"
#include "runtime/delivery.h"
#include "runtime/identity.h"
#include "runtime/placement.h"
#include "runtime/real.h"
#include "runtime/run.h"
#include "runtime/sanitizer.h"
#include "runtime/spin.h"
#include "runtime/sys.h"
#include "runtime/trap.h"

namespace heddle::rt {

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
  slot->parked = 1;
  while (__atomic_load_n(&slot->go, __ATOMIC_ACQUIRE) == 0) sys(SYS_futex, &slot->go, FUTEX_WAIT_PRIVATE, 0, 0);
  slot->go = 0;
  slot->parked = 0;
}

void release(ThreadSlot* slot) {
  __atomic_store_n(&slot->go, 1, __ATOMIC_RELEASE);
  futex_wake(&slot->go);
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
  slot->fs_base = reinterpret_cast<uintptr_t>(pthread_self());
  slot->tid = static_cast<pid_t>(sys(SYS_gettid));
  find_stack(slot);
  find_alternate_stack(slot);
  heddle_park(&slot->context, &slot->go, &slot->parked);
  if (slot->life == Life::kPooled) slot = static_cast<ThreadSlot*>(slot->argument);
  run_thread(slot);
  return slot->result;
}

void* kernel_main(void* argument) {
  auto* slot = static_cast<ThreadSlot*>(argument);
  slot->fs_base = reinterpret_cast<uintptr_t>(pthread_self());
  slot->tid = static_cast<pid_t>(sys(SYS_gettid));
  find_stack(slot);
  begin_identity(*slot);
  find_alternate_stack(slot);
  // The context is saved although this carrier does not use it: a forked child goes on from it as fibers.
  heddle_call_saved(&slot->context, wait_turn, slot);
  adopt_identity(*slot);
  const uint64_t mask = kernel_mask(slot->signal_mask);
  sys(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, nullptr, 8);
  run_thread(slot);
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
    if (__builtin_expect(masks_differ(*me, *next), 0)) change_masks(me, next);
    if (has_fsgsbase()) {
      heddle_switch_fast(&me->context, next->context, next->fs_base);
    } else {
      heddle_switch_slow(&me->context, next->context, next->fs_base);
    }
  } else {
    HandOver pair{me, next};
    heddle_call_saved(&me->context, hand_over, &pair);
    adopt_identity(*me);
  }
}

void find_stack(ThreadSlot* slot) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  slot->stack_low = static_cast<char*>(low);
  slot->stack_high = slot->stack_low + size;
}

// A sanitizer gives each thread one, before it begins.
void find_alternate_stack(ThreadSlot* slot) {
  stack_t stack;
  if (sys(SYS_sigaltstack, nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) != 0) return;
  slot->alternate_stack = stack.ss_sp;
  slot->alternate_size = stack.ss_size;
}

int spawn(ThreadSlot* slot, const pthread_attr_t* attributes) {
  // Donors take no signal, not even glibc's own: their stack is in use by the fiber.
  const uint64_t all = kernel_mask(~uint64_t{0});
  sys(SYS_rt_sigprocmask, 2, &all, &slot->signal_mask, 8);
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
  slot->process = static_cast<pid_t>(sys(SYS_getpid));
  const bool fiber = g_run.carrier == Carrier::kFiber;
  // What glibc allocates for the thread is no allocation of the program: whether it happens here, or happened when a pool was filled, must
  // not change the names of the program's blocks.
  const char managed = t_managed;
  t_managed = 0;
  const Native waits;
  const int error = create_known_thread(&slot->handle, attributes, fiber ? donor_main : kernel_main, slot);
  t_managed = managed;
  if (detach_state == PTHREAD_CREATE_DETACHED) {
    pthread_attr_setdetachstate(writable, PTHREAD_CREATE_DETACHED);
    slot->detached = true;
  }
  if (error == 0) {
    while (__atomic_load_n(&slot->parked, __ATOMIC_ACQUIRE) == 0) sys(SYS_sched_yield);
  }
  sys(SYS_rt_sigprocmask, 2, &slot->signal_mask, nullptr, 8);
  if (masked) {
    pthread_attr_setsigmask_np(writable, &wanted);
    memcpy(&slot->signal_mask, &wanted, sizeof slot->signal_mask);
  }
  return error;
}

namespace {

// A stack of ours, of the size that glibc would give: one of its own it may unmap when its thread ends, and a run that unmaps what was
// there before it cannot be undone (reuse.h). As glibc's, it has a page below it that nobody may touch.
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

ThreadSlot* take_slot(const pthread_attr_t* attributes, int* error) {
  ThreadSlot* slot = new_slot();
  *error = 0;
  if (attributes == nullptr && g_pool_count > 0 && g_run.carrier == Carrier::kFiber) {
    ThreadSlot* donor = &g_threads[g_pool[--g_pool_count]];
    slot->context = donor->context;
    slot->fs_base = donor->fs_base;
    slot->handle = donor->handle;
    slot->tid = donor->tid;
    slot->process = donor->process;
    slot->stack_low = donor->stack_low;
    slot->stack_high = donor->stack_high;
    slot->alternate_stack = donor->alternate_stack;
    slot->alternate_size = donor->alternate_size;
    // The donor's entry function still holds the pooled slot's address: it finds its thread through that.
    donor->argument = slot;
    slot->donor = donor;
    sys(SYS_rt_sigprocmask, 2, nullptr, &slot->signal_mask, 8);
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
  if (slot->process == static_cast<pid_t>(sys(SYS_getpid))) {
    ThreadSlot* donor = slot->donor != nullptr ? slot->donor : slot;
    donor->context = slot->context;
    release(donor);
  } else {
    // No kernel thread stands behind it in this process: tell glibc that it is gone, and let it have the stack back.
    *reinterpret_cast<volatile int*>(slot->handle + real().tid_offset) = 0;
  }
  // What glibc frees of the thread is not freed by the program: a thread of the pool has a stack of ours, for which glibc does more.
  const char managed = t_managed;
  t_managed = 0;
  const Native waits;
  real().pthread_join(slot->handle, nullptr);
  t_managed = managed;
}

}  // namespace heddle::rt
