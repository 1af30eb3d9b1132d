#pragma once
// Signals between the program's threads and from outside. A signal that a thread of the program sends is kept here and delivered at a
// point of its target, as an operation of its own; the handler then runs through the kernel, so that its frame is a genuine one. What
// comes from outside is queued by our own handler until the next point. A signal that every thread blocks is left to the kernel, where
// sigwait and signalfd find it.
#include <signal.h>

#include "runtime/engine/thread_signals.h"
#include "runtime/outside/timers.h"

namespace heddle::rt {

// Hands out what has arrived, and lets the current thread take all that is for it. True if a handler ran.
bool attend(ThreadSlot* me, const Pending& before);
// Async-signal-safe: keeps a signal from outside until the next point.
void arrived(int number, const siginfo_t* info);
// Sent by another process that is no child of the program: a replay has to send it again.
bool comes_from_outside(const siginfo_t& info);
// The kernel says that a child has ended, stopped or gone on.
inline bool is_of_child(const siginfo_t& info) { return info.si_signo == SIGCHLD && info.si_code > 0; }
// Async-signal-safe: the program dies of a signal from outside here and now, at no point.
void log_death(int number);
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
// What was sent to the process and chosen for this thread, which blocks it now or ends: somebody else takes it.
void pass_on_signals(ThreadSlot* me, uint64_t set);
void take_no_more_signals(ThreadSlot* me);  // it ends

// The program ignores it from now on: what is pending of it goes.
void forget_signal(int number);

// A thread that waits at a point and has a signal to take does that next, and not the operation it waits in.
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

// A cancellation point that is no scheduling point.
void test_cancel(void* pc);
// The thread ends here, as pthread_exit(PTHREAD_CANCELED) does.
[[noreturn]] void be_cancelled();

}  // namespace heddle::rt
