#include "runtime/outside/delivery.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "runtime/base/check.h"
#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/candidates.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/model.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/functions.h"
#include "runtime/outside/input_log.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/signals.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kReserved = signal_bit(32) | signal_bit(33);  // glibc's own

// What has come from outside, in order: written by handlers of any thread, read at a point.
struct Arrival {
  volatile int whole;
  siginfo_t info;
};
constexpr uint32_t kMaxArrivals = 512;
HEDDLE_APART Arrival g_arrivals[kMaxArrivals];
uint32_t g_arrivals_written;
uint32_t g_arrivals_read;

// Signals that every thread blocked, left to the kernel under a code of ours; their own is where an error number would be.
constexpr int kLeftCode = -77;
uint64_t g_left;  // those of them that were still there when last looked

// What came with a signal that is kept for a thread. Real-time signals (34 and up) have an entry for each time they were sent; others have one
// for the thread and one for the process.
struct Kept {
  uint32_t thread;
  int number;        // 0: free
  bool for_process;  // the thread was chosen: another may take it
  uint64_t order;    // first in, first out
  siginfo_t info;
};
constexpr uint32_t kMaxKept = 1024;
constexpr int kFirstRealTime = 34;
HEDDLE_APART Kept g_kept[kMaxKept];
uint64_t g_kept_order;
uint32_t g_kept_used;  // entries above were never used

void plain_info(int number, siginfo_t* out) {
  memset(out, 0, sizeof *out);
  out->si_signo = number;
  out->si_code = SI_TKILL;
  out->si_pid = program_pid();
}

void keep(uint32_t thread, int number, bool for_process, const siginfo_t& info) {
  for (uint32_t i = 0; i < kMaxKept; ++i) {
    if (g_kept[i].number != 0) continue;
    g_kept[i] = {thread, number, for_process, ++g_kept_order, info};
    if (i >= g_kept_used) g_kept_used = i + 1;
    return;
  }
}

enum class SentTo { kAny, kThread, kProcess };

Kept* first_kept(uint32_t thread, int number, SentTo to = SentTo::kAny) {
  Kept* first = nullptr;
  for (uint32_t i = 0; i < g_kept_used; ++i) {
    Kept& k = g_kept[i];
    if (k.number != number || k.thread != thread || (to != SentTo::kAny && k.for_process != (to == SentTo::kProcess))) continue;
    if (first == nullptr || k.order < first->order) first = &k;
  }
  return first;
}

// Takes the signal from the thread: of a real-time one, the one that was sent first.
void take_kept(ThreadSlot* thread, int number, siginfo_t* out) {
  plain_info(number, out);
  if (Kept* k = first_kept(thread->index, number)) {
    *out = k->info;
    k->number = 0;
  }
  if (first_kept(thread->index, number) == nullptr) thread->signals.pending &= ~signal_bit(number);
}

// A signal that was left to the kernel comes back with what the program sent.
void restore_left(int number, siginfo_t* info) {
  if (info->si_code != kLeftCode) return;
  info->si_signo = number;
  info->si_code = info->si_errno;
  info->si_errno = 0;
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

// Every thread blocks it. Only a queued signal may carry our own words: the kernel refuses other codes from any thread but the first.
void leave_to_kernel(int number, siginfo_t info) {
  info.si_errno = info.si_code;
  info.si_code = kLeftCode;
  g_left |= signal_bit(number);
  sys(SYS_rt_sigqueueinfo, sys(SYS_getpid), number, &info);
}

// What another process sent while every thread blocked it, seen for the first time.
void note_pending(uint64_t set) {
  for (uint64_t rest = set & ~g_left & ~kReserved & ~signal_bit(SIGCHLD); rest != 0; rest &= rest - 1) {
    const int number = lowest(rest);
    const uint64_t one = signal_bit(number);
    const timespec now{0, 0};
    siginfo_t info;
    if (sys(SYS_rt_sigtimedwait, &one, &info, &now, 8) != number) continue;
    if (info.si_code == kLeftCode) {
      g_left |= one;
      sys(SYS_rt_sigqueueinfo, sys(SYS_getpid), number, &info);
      continue;
    }
    const bool outside = comes_from_outside(info);
    if (carries_number(info)) info.si_pid = seen_pid(info.si_pid);
    if (outside) log_signal({info, g_run.step, g_run.clock, kFoundPending, kNoSite});
    leave_to_kernel(number, info);
  }
}

// A signal that ends the program ends it now: the thread at the point takes it, which others might do only when it is their turn.
void hand_out(int number, const siginfo_t& info, ThreadId thread) {
  ThreadSlot* me = g_current;
  const bool ends = !has_handler(number) && !is_ignored(number);
  if (ends && thread == me->id && (me->signals.mask & signal_bit(number)) == 0) {
    send_to_thread(me, number, &info);
  } else {
    send_to_process(number, &info);
  }
}

bool hand_out_recorded(ThreadId thread, SiteId site) {
  bool any = false;
  for (const OutsideSignal* s = recorded_signal(); s != nullptr && signal_is_due(*s, thread, site); s = recorded_signal()) {
    const OutsideSignal signal = *s;
    const bool of_child = is_of_child(signal.info);
    if (!replays_exactly()) pass_signal();
    if (of_child && !replays_exactly()) continue;  // its child ends anew, and says so itself
    log_signal(signal);
    if (signal.thread == kBetweenPoints && replays_exactly()) die_of(signal.info.si_signo);
    if (thread == kNobodyRan && signal.clock > g_run.clock) g_run.clock = signal.clock;
    hand_out(signal.info.si_signo, signal.info, thread);
    any = true;
  }
  if (recorded_signal() != nullptr) g_attention = 1;
  return any;
}

uint64_t kernel_pending() {
  if (g_attention != 0) hand_out_recorded(kFoundPending, kNoSite);
  uint64_t set = 0;
  sys(SYS_rt_sigpending, &set, 8);
  g_left &= set;
  if (g_run.control->mode == Mode::kOnce && (set & ~g_left) != 0) note_pending(set);
  return set;
}

}  // namespace

void redirect(ThreadSlot* t) {
  if (t->life != Life::kLive || t->pending.op == Op::kThreadStart || t->pending.op == Op::kSignalDeliver) return;
  if (deliverable(*t, t->pending) == 0) return;
  t->pending = delivery(*t, t->pending);
  update_candidate(*t);
}

void arrived(int number, const siginfo_t* info) {
  const uint32_t at = __atomic_fetch_add(&g_arrivals_written, 1, __ATOMIC_SEQ_CST);
  Arrival& a = g_arrivals[at % kMaxArrivals];
  a.info = *info;
  a.info.si_signo = number;
  __atomic_store_n(&a.whole, 1, __ATOMIC_SEQ_CST);
  g_attention = 1;
}

bool comes_from_outside(const siginfo_t& info) {
  const int number = info.si_signo;
  if (info.si_code == SI_KERNEL)
    return number == SIGINT || number == SIGQUIT || number == SIGHUP || number == SIGTSTP || number == SIGWINCH;
  if (info.si_code != SI_USER && info.si_code != SI_QUEUE && info.si_code != SI_TKILL) return false;
  return info.si_pid != sys(SYS_getpid) && !is_child(info.si_pid);
}

void log_death(int number) {
  siginfo_t info;
  plain_info(number, &info);
  log_signal({info, g_run.step, g_run.clock, kBetweenPoints, kNoSite});
}

bool has_arrived() { return g_arrivals_read != __atomic_load_n(&g_arrivals_written, __ATOMIC_SEQ_CST); }

bool hand_out_arrived(ThreadId thread, SiteId site) {
  g_attention = 0;
  bool any = hand_out_recorded(thread, site);
  while (g_arrivals_read != __atomic_load_n(&g_arrivals_written, __ATOMIC_SEQ_CST)) {
    Arrival& a = g_arrivals[g_arrivals_read % kMaxArrivals];
    if (__atomic_exchange_n(&a.whole, 0, __ATOMIC_SEQ_CST) == 0) break;  // half written: its handler asks for attention again
    ++g_arrivals_read;
    siginfo_t info = a.info;
    const int number = info.si_signo;
    const bool of_child = is_of_child(info);
    // Its place is in the recording; that the child has ended is waited for where the program finds it.
    if (of_child && replays_exactly() && has_childs_signals()) continue;
    const bool recorded = of_child && is_real_time() && g_run.control->mode == Mode::kOnce && !replays_inputs();
    const bool outside = recorded || comes_from_outside(info);
    restore_left(number, &info);
    if (carries_number(info)) info.si_pid = seen_pid(info.si_pid);
    if (outside) log_signal({info, g_run.step, g_run.clock, thread, site});
    any = true;
    hand_out(number, info, thread);
  }
  if (any) ++g_descriptor_news;
  return any;
}

namespace {

// A signal that comes while its thread computes is seen only at the next point. Were it taken before a wait there, every such signal would be
// one that came between the program's last look at its flag and the wait, and nginx would wait for ever: it ends the wait that it was about to begin.
bool ends_call(ThreadSlot* me, const Pending& before) {
  const bool may = before.interrupt == Interrupt::kAlways || (before.interrupt == Interrupt::kUnlessRestart && !me->signals.restarts);
  if (!may) return false;
  me->pending = before;
  return ready(*me) != Ready::kYes;
}

}  // namespace

bool attend(ThreadSlot* me, const Pending& before) {
  bool by_itself = false;  // nobody in the program sent it just now
  if (g_attention != 0) by_itself = hand_out_arrived(me->id, before.site);
  if (g_run.clock >= g_next_timer) by_itself = fire_timers() || by_itself;
  bool ran = false;
  while (deliverable(*me, before) != 0) {
    me->pending = delivery(*me, before);
    const Event event = *take_turn(me);
    run_delivery(me, event);
    ran = true;
  }
  return ran && (before.op == Op::kPause || me->cancel.under_way || (by_itself && ends_call(me, before)));
}

void run_delivery(ThreadSlot* me, const Event& event) {
  const int number = static_cast<int>(event.value);
  if ((me->signals.pending & signal_bit(number)) == 0) return;
  if (number == kCancelSignal) {
    if (me->wait.on == nullptr) be_cancelled();
    // A wait on a condition takes its mutex again first, and then ends the thread itself.
    me->signals.pending &= ~signal_bit(kCancelSignal);
    me->cancel.under_way = true;
    return;
  }
  siginfo_t info;
  take_kept(me, number, &info);
  me->signals.restarts = true;
  if (!has_handler(number)) {
    if (!is_ignored(number)) die_of(number);
    return;
  }
  me->signals.delivering = number;
  sys(SYS_rt_tgsigqueueinfo, sys(SYS_getpid), sys(SYS_gettid), number, &info);
  me->signals.delivering = 0;
}

namespace {

void keep_for(ThreadSlot* target, int number, SentTo to, const siginfo_t* info) {
  const uint64_t bit = signal_bit(number);
  if (number != kCancelSignal) {
    if ((target->signals.mask & bit) == 0 && is_ignored(number)) return;
    siginfo_t plain;
    if (info == nullptr) {
      plain_info(number, &plain);
      info = &plain;
    }
    const bool again = number < kFirstRealTime && first_kept(target->index, number, to) != nullptr;
    if (!again) keep(target->index, number, to == SentTo::kProcess, *info);
  }
  target->signals.pending |= bit;
  if (target != g_current) redirect(target);
}

}  // namespace

void send_to_thread(ThreadSlot* target, int number, const siginfo_t* info) { keep_for(target, number, SentTo::kThread, info); }

ThreadSlot* send_to_process(int number, const siginfo_t* info) {
  const uint64_t bit = signal_bit(number);
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot* t = &g_threads[g_live[i].slot];
    if ((t->signals.mask & bit) != 0) continue;
    keep_for(t, number, SentTo::kProcess, info);
    return t;
  }
  siginfo_t sent;
  plain_info(number, &sent);
  sent.si_code = SI_USER;
  if (info != nullptr) sent = *info;
  leave_to_kernel(number, sent);
  return nullptr;
}

void pass_on_signals(ThreadSlot* me, uint64_t set) {
  for (uint64_t rest = me->signals.pending & set & ~kReserved; rest != 0; rest &= rest - 1) {
    const int number = lowest(rest);
    while (Kept* k = first_kept(me->index, number, SentTo::kProcess)) {
      const siginfo_t info = k->info;
      k->number = 0;
      if (first_kept(me->index, number) == nullptr) me->signals.pending &= ~signal_bit(number);
      send_to_process(number, &info);
    }
  }
}

void forget_signal(int number) {
  for (uint32_t i = 0; i < g_live_count; ++i) g_threads[g_live[i].slot].signals.pending &= ~signal_bit(number);
  for (uint32_t i = 0; i < g_kept_used; ++i) {
    if (g_kept[i].number == number) g_kept[i].number = 0;
  }
}

bool has_signal(const ThreadSlot& t, uint64_t set) { return ((t.signals.pending | kernel_pending()) & set) != 0; }

int take_signal(ThreadSlot* me, uint64_t set, siginfo_t* info, bool* for_process) {
  *for_process = false;
  siginfo_t own;
  if (info == nullptr) info = &own;
  const uint64_t own_set = me->signals.pending & set;
  const uint64_t left = kernel_pending() & set;
  if (own_set != 0 && (left == 0 || lowest(own_set) <= lowest(left))) {
    const int number = lowest(own_set);
    take_kept(me, number, info);
    return number;
  }
  const timespec now{0, 0};
  const long number = sys(SYS_rt_sigtimedwait, &set, info, &now, 8);
  if (number <= 0) return 0;
  restore_left(static_cast<int>(number), info);
  if (carries_number(*info)) info->si_pid = seen_pid(info->si_pid);
  *for_process = true;
  return static_cast<int>(number);
}

uint64_t pending_signals(const ThreadSlot& t) { return (t.signals.pending | kernel_pending()) & ~kReserved; }

void set_mask(ThreadSlot* me, uint64_t mask) {
  mask &= ~(kReserved | signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  if (watching_functions()) mask &= ~signal_bit(SIGTRAP);  // blocked, a breakpoint would kill
  me->signals.mask = mask;
  const uint64_t kernel = kernel_mask(mask);
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &kernel, nullptr, 8);
  pass_on_signals(me, mask);
}

void take_no_more_signals(ThreadSlot* me) {
  me->signals.mask = ~kReserved;
  pass_on_signals(me, ~kReserved);
}

void learn_mask(ThreadSlot* me) { sys(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &me->signals.mask, 8); }

void change_masks(ThreadSlot* from, ThreadSlot* to) {
  if (from->signals.handlers != 0) learn_mask(from);
  const uint64_t mask = kernel_mask(to->signals.mask);
  if (from->signals.mask != to->signals.mask) sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, 8);
  if (from->signals.alternate_stack != to->signals.alternate_stack) use_alternate_stack(to);
}

void test_cancel(void* pc) {
  Pending p{};
  p.site = caller_site(pc);
  p.cancels = true;
  if ((deliverable(*g_current, p) & signal_bit(kCancelSignal)) != 0) attend(g_current, p);
}

void be_cancelled() {
  ThreadSlot* me = g_current;
  me->signals.pending &= ~signal_bit(kCancelSignal);
  me->cancel.disabled = true;
  me->result = PTHREAD_CANCELED;
  real().pthread_exit(PTHREAD_CANCELED);
  __builtin_unreachable();
}

}  // namespace heddle::rt
