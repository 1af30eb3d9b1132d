#include "runtime/delivery.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "runtime/check.h"
#include "runtime/functions.h"
#include "runtime/model.h"
#include "runtime/names.h"
#include "runtime/pids.h"
#include "runtime/placement.h"
#include "runtime/real.h"
#include "runtime/real_io.h"
#include "runtime/scheduler.h"
#include "runtime/signals.h"
#include "runtime/standing.h"
#include "runtime/sys.h"

namespace heddle::rt {

volatile int g_attention;

namespace {

constexpr uint64_t kReserved = signal_bit(32) | signal_bit(33);  // glibc's own

uint64_t g_arrived;  // bits, set in handlers of any thread
HEDDLE_APART siginfo_t g_arrived_info[65];

// Signals that every thread blocked, left to the kernel under a code of ours.
constexpr int kLeftCode = -77;
HEDDLE_APART siginfo_t g_left[65];

// What came with a signal that is kept for a thread. A signal without an entry here gets a plain one.
struct Kept {
  uint32_t thread;
  int number;  // 0: free
  siginfo_t info;
};
constexpr uint32_t kMaxKept = 256;
HEDDLE_APART Kept g_kept[kMaxKept];

void plain_info(int number, siginfo_t* out) {
  memset(out, 0, sizeof *out);
  out->si_signo = number;
  out->si_code = SI_TKILL;
  out->si_pid = program_pid();
}

void keep(uint32_t thread, int number, const siginfo_t& info) {
  for (Kept& k : g_kept) {
    if (k.number != 0) continue;
    k = {thread, number, info};
    return;
  }
}

void take_kept(uint32_t thread, int number, siginfo_t* out) {
  plain_info(number, out);
  for (Kept& k : g_kept) {
    if (k.number != number || k.thread != thread) continue;
    *out = k.info;
    k.number = 0;
    return;
  }
}

// A signal that was left to the kernel comes back with what the program sent.
void restore_left(int number, siginfo_t* info) {
  if (info->si_code == kLeftCode) *info = g_left[number];
}

int lowest(uint64_t set) { return __builtin_ctzll(set) + 1; }

Pending delivery(const ThreadSlot& t, const Pending& before) {
  Pending p{};
  const int number = lowest(deliverable(t, before));
  p.op = Op::kSignalDeliver;
  p.object = make_object(ObjectKind::kThread, t.id, 0);
  p.site = before.site;
  p.value = static_cast<uint64_t>(number);
  return p;
}

uint64_t kernel_pending() {
  uint64_t set = 0;
  sys(SYS_rt_sigpending, &set, 8);
  return set;
}

}  // namespace

void redirect(ThreadSlot* t) {
  if (t->life != Life::kLive || t->pending.op == Op::kThreadStart || t->pending.op == Op::kSignalDeliver) return;
  if (deliverable(*t, t->pending) == 0) return;
  t->pending = delivery(*t, t->pending);
  stands(*t);
}

void arrived(int number, const siginfo_t* info) {
  g_arrived_info[number] = *info;
  __atomic_fetch_or(&g_arrived, signal_bit(number), __ATOMIC_SEQ_CST);
  g_attention = 1;
}

bool hand_out_arrived() {
  g_attention = 0;
  uint64_t set = __atomic_exchange_n(&g_arrived, 0, __ATOMIC_SEQ_CST);
  const bool any = set != 0;
  if (any) ++g_descriptor_news;
  for (; set != 0; set &= set - 1) {
    const int number = lowest(set);
    siginfo_t info = g_arrived_info[number];
    restore_left(number, &info);
    send_to_process(number, &info);
  }
  return any;
}

bool attend(ThreadSlot* me, const Pending& before) {
  if (g_attention != 0) hand_out_arrived();
  if (g_run.clock >= g_next_timer) fire_timers();
  bool ran = false;
  while (deliverable(*me, before) != 0) {
    me->pending = delivery(*me, before);
    const Event event = *stand(me);
    run_delivery(me, event);
    ran = true;
  }
  return ran;
}

void run_delivery(ThreadSlot* me, const Event& event) {
  const int number = static_cast<int>(event.value);
  if ((me->signals & signal_bit(number)) == 0) return;
  if (number == kCancelSignal) {
    if (me->waiting_on == nullptr) be_cancelled();
    // A wait on a condition takes its mutex again first, and then ends the thread itself.
    me->signals &= ~signal_bit(kCancelSignal);
    me->cancelling = true;
    return;
  }
  me->signals &= ~signal_bit(number);
  siginfo_t info;
  take_kept(me->index, number, &info);
  me->restarts = true;
  if (!has_handler(number)) {
    if (!is_ignored(number)) die_of(number);
    return;
  }
  me->delivering = number;
  sys(SYS_rt_tgsigqueueinfo, sys(SYS_getpid), sys(SYS_gettid), number, &info);
  me->delivering = 0;
}

void send_to_thread(ThreadSlot* target, int number, const siginfo_t* info) {
  const uint64_t bit = signal_bit(number);
  if (number != kCancelSignal) {
    if ((target->signal_mask & bit) == 0 && is_ignored(number)) return;
    if (info != nullptr && (target->signals & bit) == 0) keep(target->index, number, *info);
  }
  target->signals |= bit;
  if (target != g_current) redirect(target);
}

ThreadSlot* send_to_process(int number, const siginfo_t* info) {
  const uint64_t bit = signal_bit(number);
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot* t = &g_threads[g_live[i].slot];
    if ((t->signal_mask & bit) != 0) continue;
    send_to_thread(t, number, info);
    return t;
  }
  plain_info(number, &g_left[number]);
  g_left[number].si_code = SI_USER;
  if (info != nullptr) g_left[number] = *info;
  // Only a queued signal may carry our own words: the kernel refuses other codes from any thread but the first.
  siginfo_t sent = g_left[number];
  sent.si_code = kLeftCode;
  sys(SYS_rt_sigqueueinfo, sys(SYS_getpid), number, &sent);
  return nullptr;
}

bool has_signal(const ThreadSlot& t, uint64_t set) { return ((t.signals | kernel_pending()) & set) != 0; }

int take_signal(ThreadSlot* me, uint64_t set, siginfo_t* info, bool* for_process) {
  *for_process = false;
  siginfo_t own;
  if (info == nullptr) info = &own;
  if ((me->signals & set) != 0) {
    const int number = lowest(me->signals & set);
    me->signals &= ~signal_bit(number);
    take_kept(me->index, number, info);
    return number;
  }
  const timespec now{0, 0};
  const long number = sys(SYS_rt_sigtimedwait, &set, info, &now, 8);
  if (number <= 0) return 0;
  restore_left(static_cast<int>(number), info);
  *for_process = true;
  return static_cast<int>(number);
}

uint64_t pending_signals(const ThreadSlot& t) { return (t.signals | kernel_pending()) & ~kReserved; }

void set_mask(ThreadSlot* me, uint64_t mask) {
  mask &= ~(kReserved | signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  if (watching_functions()) mask &= ~signal_bit(SIGTRAP);  // blocked, a breakpoint would kill
  me->signal_mask = mask;
  mask = kernel_mask(mask);
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, 8);
}

void learn_mask(ThreadSlot* me) { sys(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &me->signal_mask, 8); }

void change_masks(ThreadSlot* from, ThreadSlot* to) {
  if (from->handlers != 0) learn_mask(from);
  const uint64_t mask = kernel_mask(to->signal_mask);
  if (from->signal_mask != to->signal_mask) sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, 8);
  if (from->alternate_stack != to->alternate_stack) use_alternate_stack(to);
}

void be_cancelled() {
  ThreadSlot* me = g_current;
  me->signals &= ~signal_bit(kCancelSignal);
  me->cancel_disabled = true;
  me->result = PTHREAD_CANCELED;
  real().pthread_exit(PTHREAD_CANCELED);
  __builtin_unreachable();
}

}  // namespace heddle::rt
