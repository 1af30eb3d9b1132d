#pragma once
// Signals between the program's threads and from outside. A signal that a thread of the program sends is kept here and delivered at a
// point of its target, as an operation of its own; the handler then runs through the kernel, so that its frame is a genuine one. What
// comes from outside is queued by our own handler until the next point. A signal that every thread blocks is left to the kernel, where
// sigwait and signalfd find it.
#include <signal.h>

#include "runtime/run.h"
#include "runtime/timers.h"

namespace heddle::rt {

// Stands for pthread_cancel among a thread's signals: glibc uses the same number.
inline constexpr int kCancelSignal = 32;
constexpr uint64_t signal_bit(int number) { return uint64_t{1} << (number - 1); }

// The mask that the kernel gets: SIGSYS must always come through, see trap.h.
constexpr uint64_t kernel_mask(uint64_t mask) { return mask & ~signal_bit(SIGSYS); }

extern volatile int g_attention;  // something has arrived from outside

// Signals (and a cancellation) that this thread would take before the operation.
inline uint64_t deliverable(const ThreadSlot& t, const Pending& p) {
  if (__builtin_expect(t.signals == 0, 1)) return 0;
  const uint64_t cancel = t.signals & signal_bit(kCancelSignal);
  const uint64_t others = t.signals & ~t.signal_mask & ~signal_bit(kCancelSignal);
  const bool cancels = p.cancels || (t.cancel_async && t.waiting_on == nullptr);
  return others | (cancels && !t.cancel_disabled && !t.ending ? cancel : 0);
}

inline bool attention_due(const ThreadSlot& t, const Pending& p) {
  return g_attention != 0 || g_run.clock >= g_next_timer || deliverable(t, p) != 0;
}
// The same, whatever the thread stands before: false only where nothing is due.
inline bool attention_due(const ThreadSlot& t) { return g_attention != 0 || g_run.clock >= g_next_timer || t.signals != 0; }

// Hands out what has arrived, and lets the current thread take all that is for it. True if a handler ran.
bool attend(ThreadSlot* me, const Pending& before);
// Async-signal-safe: keeps a signal from outside until the next point.
void arrived(int number, const siginfo_t* info);
bool has_arrived();  // is there anything that hand_out_arrived has not seen?
// What has arrived goes to its threads, and so does what a recording has for this place: the thread that is at a point, and before which
// site. True if there was anything.
bool hand_out_arrived(ThreadId thread, SiteId site);
// The event that the thread has just recorded took this signal: runs its handler.
void run_delivery(ThreadSlot* me, const Event& event);

// Does it say which process sent it, or which child it is about?
inline bool carries_number(const siginfo_t& info) {
  return info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL || info.si_signo == SIGCHLD;
}
// `info` may be nullptr. To the process: returns the thread that takes it, or nullptr when every one blocks it.
void send_to_thread(ThreadSlot* target, int number, const siginfo_t* info);
ThreadSlot* send_to_process(int number, const siginfo_t* info);

// The program ignores it from now on: what is pending of it goes.
void forget_signal(int number);

// A thread that waits at a point, with something to take, stands before that now and not before the operation it waits in.
void redirect(ThreadSlot* thread);

// For sigwait: is one of `set` there for this thread, and taking it. Returns the number, or 0.
bool has_signal(const ThreadSlot& t, uint64_t set);
// *for_process: it was sent to the process as a whole.
int take_signal(ThreadSlot* me, uint64_t set, siginfo_t* info, bool* for_process);
uint64_t pending_signals(const ThreadSlot& t);

void set_mask(ThreadSlot* me, uint64_t mask);
// Inside a handler, or after a jump out of one, glibc may have changed the running thread's mask behind our back.
void learn_mask(ThreadSlot* me);
// The kernel's mask and alternate stack follow the thread that runs. Called where one kernel thread carries all.
void change_masks(ThreadSlot* from, ThreadSlot* to);
inline bool masks_differ(const ThreadSlot& from, const ThreadSlot& to) {
  return from.signal_mask != to.signal_mask || from.handlers != 0 || from.alternate_stack != to.alternate_stack;
}

// A cancellation point that is no scheduling point.
void test_cancel(void* pc);
// The thread ends here, as pthread_exit(PTHREAD_CANCELED) does.
[[noreturn]] void be_cancelled();

}  // namespace heddle::rt
