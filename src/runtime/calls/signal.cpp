// Signals: actions, masks, sending, and the waits for them.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/signals.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

bool is_signal(int number) { return number >= 1 && number <= 64; }

uint64_t bits_of(const sigset_t* set) {
  uint64_t bits = 0;
  if (set != nullptr) memcpy(&bits, set, sizeof bits);
  return bits;
}

void store_bits(sigset_t* set, uint64_t bits) {
  if (set == nullptr) return;
  memset(set, 0, sizeof *set);
  memcpy(set, &bits, sizeof bits);
}

void sent_by(siginfo_t* info, int number, int code) {
  memset(info, 0, sizeof *info);
  info->si_signo = number;
  info->si_code = code;
  info->si_pid = program_pid();
  info->si_uid = static_cast<uid_t>(sys(SYS_getuid));
}

bool is_pidfd_of_own(int fd) {
  char path[48];
  char text[512];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  const long file = sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return false;
  const long n = sys(SYS_read, file, text, sizeof text - 1);
  sys(SYS_close, file);
  text[n > 0 ? n : 0] = 0;
  const char* at = strstr(text, "\nPid:");
  return at != nullptr && strtol(at + 5, nullptr, 10) == sys(SYS_getpid);
}

// A signal that the caller sends itself is taken before the call returns.
void take_own(SiteId site) {
  ThreadSlot* me = g_current;
  Pending p{};
  p.site = site;
  attend(me, p);
}

int signal_thread(ThreadSlot* t, int number, siginfo_t* info, void* pc) {
  if (number < 0 || number > 64) return EINVAL;
  Pending p{};
  p.op = Op::kThreadKill;
  p.object = make_object(ObjectKind::kThread, t->id, 0);
  p.site = caller_site(pc);
  p.value = static_cast<uint64_t>(number);
  point(p);
  if (number == 0 || t->life != Life::kLive) return 0;
  send_to_thread(t, number, info);
  if (t == g_current) take_own(p.site);
  return 0;
}

int signal_process(int number, siginfo_t* info, void* pc) {
  if (number < 0 || number > 64) {
    errno = EINVAL;
    return -1;
  }
  Pending p{};
  p.op = Op::kSignalSend;
  p.object = make_object(ObjectKind::kThread, kMainThread, 0);
  p.site = caller_site(pc);
  p.value = static_cast<uint64_t>(number);
  Event* e = point(p);
  if (number == 0) return 0;
  if (number == SIGKILL || number == SIGSTOP) {
    sys(SYS_kill, sys(SYS_getpid), number);
    return 0;
  }
  const ThreadSlot* target = send_to_process(number, info);
  if (target != nullptr) e->object = make_object(ObjectKind::kThread, target->id, 0);
  take_own(p.site);
  return 0;
}

int change_mask(int how, const sigset_t* set, sigset_t* old, void* pc) {
  ThreadSlot* me = g_current;
  if (me->signals.handlers != 0) sys(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &me->signals.mask, 8);
  const uint64_t before = me->signals.mask;
  if (set != nullptr) {
    const uint64_t bits = bits_of(set);
    switch (how) {
      case SIG_BLOCK: set_mask(me, before | bits); break;
      case SIG_UNBLOCK: set_mask(me, before & ~bits); break;
      case SIG_SETMASK: set_mask(me, bits); break;
      default: return EINVAL;
    }
  }
  store_bits(old, before);
  Pending p{};
  p.site = caller_site(pc);
  if (set != nullptr && attention_due(*me, p)) attend(me, p);
  return 0;
}

// Returns the signal, 0 after the time-out, -1 when a handler came between.
int wait_for_signal(uint64_t set, siginfo_t* info, bool timed, uint64_t deadline, Interrupt interrupt, void* pc) {
  ThreadSlot* me = g_current;
  Pending p{};
  p.op = timed ? Op::kSigTimedWait : Op::kSigWait;
  p.object = make_object(ObjectKind::kThread, me->id, 0);
  p.site = caller_site(pc);
  p.address = &set;
  p.value = set;
  p.deadline = deadline;
  p.interrupt = interrupt;
  p.cancels = true;
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -1;
    bool for_process = false;
    const int number = take_signal(me, set, info, &for_process);
    if (number == 0 && !timed) continue;
    e->value = static_cast<uint64_t>(number);
    if (for_process) e->object = make_object(ObjectKind::kThread, kMainThread, 0);
    if (number == 0) {
      e->flags |= kTimedOut | kChoice;
      e->value = kChoiceTimeout;
    }
    return number;
  }
}

int wait_for_handler(void* pc) {
  Pending p{};
  p.op = Op::kPause;
  p.site = caller_site(pc);
  p.interrupt = Interrupt::kAlways;
  p.cancels = true;
  point(p);
  errno = EINTR;
  return -1;
}

}  // namespace

HEDDLE_EXPORT int sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
  if (!is_signal(number) || number == 32 || number == 33 || !g_run.control) return real_io().sigaction(number, action, old);
  if (action != nullptr && (number == SIGKILL || number == SIGSTOP)) return real_io().sigaction(number, action, old);
  const struct sigaction before = program_action(number);
  if (action != nullptr) {
    const struct sigaction wanted = *action;
    const int result = set_program_action(number, wanted);
    if (result != 0) return result;
    if (g_run.active && is_ignored(number)) forget_signal(number);
  }
  if (old != nullptr) *old = before;
  return 0;
}

HEDDLE_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action;
  struct sigaction old;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = interrupts(number) ? 0 : SA_RESTART;
  if (number >= 1 && number <= 64) sigaddset(&action.sa_mask, number);
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
HEDDLE_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept __attribute__((alias("signal")));
HEDDLE_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept __attribute__((alias("signal")));

HEDDLE_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  if (!active()) return real_io().sigaltstack(stack, old);
  ThreadSlot* me = g_current;
  stack_t present;
  memset(&present, 0, sizeof present);
  const int result = real_io().sigaltstack(nullptr, &present);
  if (result != 0) return result;
  if (me->signals.alternate_stack == nullptr) {
    present.ss_sp = nullptr;
    present.ss_size = 0;
    present.ss_flags = SS_DISABLE;
  }
  if (stack != nullptr) {
    const bool none = (stack->ss_flags & SS_DISABLE) != 0;
    if (!none) {
      const int error = real_io().sigaltstack(stack, nullptr);
      if (error != 0) return error;
    }
    me->signals.alternate_stack = none ? nullptr : stack->ss_sp;
    me->signals.alternate_size = none ? 0 : stack->ss_size;
    if (none) use_alternate_stack(me);
  }
  if (old != nullptr) *old = present;
  return 0;
}

HEDDLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (active()) return change_mask(how, set, old, __builtin_return_address(0));
  uint64_t bits = bits_of(set) & ~(signal_bit(32) | signal_bit(33));
  uint64_t before = 0;
  const long result = sys(SYS_rt_sigprocmask, how, set != nullptr ? &bits : nullptr, &before, 8);
  if (result == 0) store_bits(old, before);
  return static_cast<int>(-result);
}

HEDDLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  int error = 0;
  if (active()) {
    error = change_mask(how, set, old, __builtin_return_address(0));
  } else {
    error = pthread_sigmask(how, set, old);
  }
  if (error == 0) return 0;
  errno = error;
  return -1;
}

HEDDLE_EXPORT int sigpending(sigset_t* set) noexcept {
  uint64_t bits = 0;
  if (active()) {
    bits = pending_signals(*g_current) & g_current->signals.mask;
  } else {
    sys(SYS_rt_sigpending, &bits, 8);
  }
  store_bits(set, bits);
  return 0;
}

HEDDLE_EXPORT int pthread_kill(pthread_t handle, int number) noexcept {
  if (!active()) return real_io().pthread_kill(handle, number);
  ThreadSlot* t = slot_of(handle);
  if (t == nullptr) return ESRCH;
  siginfo_t info;
  sent_by(&info, number, SI_TKILL);
  return signal_thread(t, number, &info, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_sigqueue(pthread_t handle, int number, const sigval value) noexcept {
  if (!active()) return real_io().pthread_sigqueue(handle, number, value);
  ThreadSlot* t = slot_of(handle);
  if (t == nullptr) return ESRCH;
  siginfo_t info;
  sent_by(&info, number, SI_QUEUE);
  info.si_value = value;
  return signal_thread(t, number, &info, __builtin_return_address(0));
}

HEDDLE_EXPORT int raise(int number) noexcept {
  if (!active()) return real_io().raise(number);
  siginfo_t info;
  sent_by(&info, number, SI_TKILL);
  const int error = signal_thread(g_current, number, &info, __builtin_return_address(0));
  if (error == 0) return 0;
  errno = error;
  return -1;
}
HEDDLE_EXPORT int gsignal(int number) noexcept __attribute__((alias("raise")));

HEDDLE_EXPORT int tgkill(pid_t process, pid_t thread, int number) {
  if (active() && is_this_process(process)) {
    ThreadSlot* t = thread_with_tid(thread);
    siginfo_t info;
    sent_by(&info, number, SI_TKILL);
    const int error = t == nullptr ? ESRCH : signal_thread(t, number, &info, __builtin_return_address(0));
    return static_cast<int>(with_errno(-error));
  }
  return static_cast<int>(with_errno(sys(SYS_tgkill, real_pid(process), real_tid(thread), number)));
}

HEDDLE_EXPORT int kill(pid_t process, int number) noexcept {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_kill, real_pid(process), number)));
  if (is_parent(process)) {
    if (number != 0) note(caller_site(__builtin_return_address(0)), "kill: a signal to the program's parent is not sent");
    return number >= 0 && number <= 64 ? 0 : static_cast<int>(with_errno(-EINVAL));
  }
  if (is_this_process(process)) {
    siginfo_t info;
    sent_by(&info, number, SI_USER);
    return signal_process(number, &info, __builtin_return_address(0));
  }
  return static_cast<int>(with_errno(sys(SYS_kill, real_pid(process), number)));
}

// To this very process it is a kill.
HEDDLE_EXPORT int pidfd_send_signal(int fd, int number, siginfo_t* info, unsigned flags) noexcept {
  if (active() && info == nullptr && flags == 0 && is_pidfd_of_own(fd)) {
    siginfo_t own;
    sent_by(&own, number, SI_USER);
    return signal_process(number, &own, __builtin_return_address(0));
  }
  return static_cast<int>(with_errno(sys(SYS_pidfd_send_signal, fd, number, info, flags)));
}

HEDDLE_EXPORT int killpg(pid_t group, int number) noexcept {
  if (group < 0 || group == 1) return static_cast<int>(with_errno(group < 0 ? -EINVAL : -EPERM));
  CalledFrom outer(__builtin_return_address(0));
  return kill(-group, number);
}

HEDDLE_EXPORT int sigqueue(pid_t process, int number, const sigval value) noexcept {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (active()) sent_by(&info, number, SI_QUEUE);
  info.si_signo = number;
  info.si_code = SI_QUEUE;
  info.si_value = value;
  if (active() && is_this_process(process)) return signal_process(number, &info, __builtin_return_address(0));
  info.si_pid = static_cast<pid_t>(sys(SYS_getpid));
  info.si_uid = static_cast<uid_t>(sys(SYS_getuid));
  return static_cast<int>(with_errno(sys(SYS_rt_sigqueueinfo, real_pid(process), number, &info)));
}

HEDDLE_EXPORT int sigwait(const sigset_t* set, int* number) {
  if (!active()) return real_io().sigwait(set, number);
  *number = wait_for_signal(bits_of(set), nullptr, false, 0, Interrupt::kNever, __builtin_return_address(0));
  return 0;
}

HEDDLE_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!active()) return real_io().sigwaitinfo(set, info);
  const int number = wait_for_signal(bits_of(set), info, false, 0, Interrupt::kAlways, __builtin_return_address(0));
  if (number < 0) errno = EINTR;
  return number;
}

HEDDLE_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* duration) {
  if (!active()) return real_io().sigtimedwait(set, info, duration);
  const bool timed = duration != nullptr;
  if (timed && !valid_time(duration)) {
    errno = EINVAL;
    return -1;
  }
  const int number =
      wait_for_signal(bits_of(set), info, timed, timed ? deadline_after(duration) : 0, Interrupt::kAlways, __builtin_return_address(0));
  if (number > 0) return number;
  errno = number == 0 ? EAGAIN : EINTR;
  return -1;
}

HEDDLE_EXPORT int sigsuspend(const sigset_t* set) {
  if (!active()) return real_io().sigsuspend(set);
  ThreadSlot* me = g_current;
  const uint64_t before = me->signals.mask;
  set_mask(me, bits_of(set));
  const int result = wait_for_handler(__builtin_return_address(0));
  const int saved = errno;
  set_mask(me, before);
  errno = saved;
  return result;
}

HEDDLE_EXPORT int pause() {
  if (!active()) return real_io().pause();
  return wait_for_handler(__builtin_return_address(0));
}
