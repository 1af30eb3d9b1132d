#include "runtime/outside/signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/base/placement.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/run.h"
#include "runtime/memory/code_points.h"
#include "runtime/memory/functions.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/trap.h"

namespace heddle::rt {

namespace {

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
// What people send to end a program.
constexpr int kEnding[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
constexpr int kSignals = 65;
alignas(16) HEDDLE_APART char g_alternate_stack[64 * 1024];

struct View {
  bool known;
  struct sigaction action;
};
HEDDLE_APART View g_views[kSignals];

bool is_fatal(int number) {
  for (int fatal : kFatal) {
    if (fatal == number) return true;
  }
  return false;
}

// In a run that may be recorded such a signal is taken at a point even where it has no handler: then it is an event like any other.
bool ends_at_point(int number) {
  if (!g_run.attached || g_run.control->mode != Mode::kOnce) return false;
  for (int ending : kEnding) {
    if (ending == number) return true;
  }
  return false;
}

bool ignored_by_default(int number) { return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT; }
bool stops_by_default(int number) { return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU; }

View& view(int number) {
  View& v = g_views[number];
  if (!v.known) {
    memset(&v.action, 0, sizeof v.action);
    real_io().sigaction(number, nullptr, &v.action);
    v.known = true;
  }
  return v;
}

// A call under control needs stack of the thread that makes it. Where a stack is small from the start, its overflow may be our doing, not the
// program's.
bool overflows_small_stack(int number, const siginfo_t* info, const void* context) {
  constexpr intptr_t kSmall = 256 * 1024, kNear = 64 * 1024, kPages = 2 * 4096;
  if (number != SIGSEGV || info->si_code <= 0 || !active()) return false;
  const Carried& on = g_current->carrier;
  if (on.stack_low == nullptr || on.stack_high - on.stack_low > kSmall) return false;
  const auto low = reinterpret_cast<intptr_t>(on.stack_low);
  const auto at = reinterpret_cast<intptr_t>(info->si_addr);
  const auto top = static_cast<intptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
  return at < low + kPages && at > low - kNear && top < low + kNear && top > low - kNear;
}

// A call through a pointer that leads nowhere faults at the address it went to, of which no frame is known: the caller is where it would return
// to. False, and nothing changed, where it is no such fault.
bool step_back_to_caller(int number, const siginfo_t* info, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto pc = static_cast<uintptr_t>(registers[REG_RIP]);
  if (number != SIGSEGV || info->si_code <= 0 || reinterpret_cast<uintptr_t>(info->si_addr) != pc || !active()) return false;
  if (site_of(reinterpret_cast<void*>(pc)) != kNoSite) return false;
  const Carried& on = g_current->carrier;
  const auto top = static_cast<uintptr_t>(registers[REG_RSP]);
  const auto low = reinterpret_cast<uintptr_t>(on.stack_low), high = reinterpret_cast<uintptr_t>(on.stack_high);
  if (low == 0 || top % sizeof(uintptr_t) != 0 || top < low || top >= high) return false;
  const uintptr_t caller = *reinterpret_cast<const uintptr_t*>(top);
  if (site_of(reinterpret_cast<char*>(caller) - 1) == kNoSite) return false;
  registers[REG_RIP] = static_cast<long long>(caller);
  registers[REG_RSP] = static_cast<long long>(top + sizeof(uintptr_t));
  return true;
}

void on_fatal(int number, siginfo_t* info, void* context) {
  if (is_counter_read(number, context)) return;
  if (number == SIGTRAP && code_trap(info, context)) return;
  if (number == SIGTRAP && watching_functions() && function_entered(context)) return;
  if (overflows_small_stack(number, info, context)) {
    char text[120];
    snprintf(text, sizeof text, "a stack of %zd kB overflowed, which may be too small for calls under control: give it 256 kB or more",
             (g_current->carrier.stack_high - g_current->carrier.stack_low) / 1024);
    end_run(OutcomeKind::kCannotControl, 0, text);
  }
  fault_in_code(context);
  struct sigaction standard;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  real_io().sigaction(number, &standard, nullptr);
  // Only for the stack that is recorded: a core file shows the fault as it was.
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long long pc = registers[REG_RIP], top = registers[REG_RSP];
  const bool stepped_back = step_back_to_caller(number, info, context);
  if (g_run.attached) record_outcome(OutcomeKind::kSignal, number, strsignal(number));
  if (stepped_back) {
    registers[REG_RIP] = pc;
    registers[REG_RSP] = top;
  }
  // Returning executes the faulting instruction again, now with the default action; a signal that was sent must be sent again.
  sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), number);
}

// A fault of the thread itself, or a signal that it has sent itself through glibc's inside (abort) or the kernel (a broken pipe): its
// handler runs here and now. Everything else waits for a point.
bool runs_at_once(int number, const siginfo_t* info) {
  if (!g_run.active) return true;
  // The kernel gives a signal to any thread that does not block it: to one that has not begun or is about to end, too. Those do not take it
  // for the program. That of a child is for the process, like one from outside.
  if (t_managed == 0) return !comes_from_outside(*info) && !(carries_number(*info) && is_child(info->si_pid));
  ThreadSlot* me = g_current;
  const auto process = static_cast<pid_t>(sys(SYS_getpid));
  // In a forked copy the first thread has another number than glibc believes.
  const auto thread = static_cast<pid_t>(sys(SYS_gettid));
  const bool here = g_run.carrier == Carrier::kFiber || thread == me->tid || (me->index == 0 && thread == process);
  if (here && me->signals.delivering == number) {
    me->signals.delivering = 0;
    return true;
  }
  if (is_fatal(number) && info->si_code > 0) return true;
  if ((info->si_code != SI_USER && info->si_code != SI_TKILL) || info->si_pid != process) return false;
  return here;
}

void call_handler(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  if (carries_number(*info)) info->si_pid = seen_pid(info->si_pid);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else {
    action.sa_handler(number);
  }
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  if (is_counter_read(number, context)) return;
  if (number == SIGTRAP && code_trap(info, context)) return;
  if (!runs_at_once(number, info)) {
    arrived(number, info);
    errno = saved;
    return;
  }
  if (is_fatal(number)) fault_in_code(context);
  const struct sigaction action = view(number).action;
  if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) return;
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    set_program_action(number, standard);
  }
  if (!active()) {
    call_handler(action, number, info, context);
    return;
  }
  ThreadSlot* me = g_current;
  ++me->signals.handlers;
  sys(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &me->signals.mask, 8);
  call_handler(action, number, info, context);
  // The kernel puts back the mask of the frame, which the handler may have changed.
  memcpy(&me->signals.mask, &static_cast<ucontext_t*>(context)->uc_sigmask, sizeof me->signals.mask);
  --me->signals.handlers;
  me->signals.restarts = (action.sa_flags & SA_RESTART) != 0;
  errno = saved;
}

// The same signal again after a second of real time: for a thread that computes, or stands in a call, and comes to no point.
void send_again_later(int number) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = number;
  int timer = 0;
  struct itimerspec span;
  memset(&span, 0, sizeof span);
  span.it_value.tv_sec = 1;
  if (sys(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0) sys(SYS_timer_settime, timer, 0, &span, nullptr);
}

void on_ending(int number, siginfo_t* info, void*) {
  static volatile uint64_t came;
  const int saved = errno;
  const bool again = (__atomic_fetch_or(&came, signal_bit(number), __ATOMIC_SEQ_CST) & signal_bit(number)) != 0;
  const bool at_once = info->si_code != SI_TIMER && runs_at_once(number, info);
  if (again || at_once) {
    // It came from outside a second ago, or twice.
    if (!at_once) log_death(number);
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    real_io().sigaction(number, &standard, nullptr);
    sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), number);  // when this handler has returned
    return;
  }
  arrived(number, info);
  send_again_later(number);
  errno = saved;
}

}  // namespace

struct sigaction program_action(int number) {
  return view(number).action;
}

bool is_ignored(int number) {
  const auto handler = view(number).action.sa_handler;
  return handler == SIG_IGN || (handler == SIG_DFL && ignored_by_default(number));
}

bool has_handler(int number) {
  const auto handler = view(number).action.sa_handler;
  return handler != SIG_IGN && handler != SIG_DFL;
}

int set_program_action(int number, const struct sigaction& action) {
  if (number == SIGSYS && catches_inner_calls()) {
    g_views[number] = {true, action};
    return 0;
  }
  struct sigaction kernel = action;
  if (action.sa_handler == SIG_DFL && is_fatal(number)) {
    kernel.sa_sigaction = on_fatal;
    kernel.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  } else if (action.sa_handler == SIG_DFL && ends_at_point(number)) {
    kernel.sa_sigaction = on_ending;
    kernel.sa_flags = SA_SIGINFO;
  } else if (action.sa_handler != SIG_DFL && (action.sa_handler != SIG_IGN || number == SIGTRAP)) {
    kernel.sa_sigaction = on_signal;
    kernel.sa_flags = static_cast<int>((static_cast<unsigned>(action.sa_flags) | SA_SIGINFO) & ~static_cast<unsigned>(SA_RESETHAND));
  }
  const int result = real_io().sigaction(number, &kernel, nullptr);
  if (result == 0) g_views[number] = {true, action};
  return result;
}

void broken_pipe() {
  const bool blocked = (g_current->signals.mask >> (SIGPIPE - 1) & 1) != 0;
  if (is_ignored(SIGPIPE)) return;
  if (!blocked && !has_handler(SIGPIPE)) die_of(SIGPIPE);
  sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), SIGPIPE);
}

void die_of(int number) {
  if (stops_by_default(number)) {
    sys(SYS_kill, sys(SYS_getpid), number);
    return;
  }
  if (g_run.attached) record_outcome(number == SIGABRT ? OutcomeKind::kAbort : OutcomeKind::kSignal, number, strsignal(number));
  struct sigaction standard;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  real_io().sigaction(number, &standard, nullptr);
  const uint64_t none = 0;
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, 8);
  sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), number);
  sys(SYS_exit_group, 128 + number);
}

void use_alternate_stack(const ThreadSlot* thread) {
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  const bool own = thread->signals.alternate_stack != nullptr;
  stack.ss_sp = own ? thread->signals.alternate_stack : g_alternate_stack;
  stack.ss_size = own ? thread->signals.alternate_size : sizeof g_alternate_stack;
  sys(SYS_sigaltstack, &stack, nullptr);
}

void catch_fatal_signals() {
  if (!g_run.attached) return;
  use_alternate_stack(&g_threads[0]);
  for (int number : kFatal) {
    const struct sigaction present = view(number).action;
    if (present.sa_handler == SIG_DFL) set_program_action(number, present);
  }
  for (int number : kEnding) {
    const struct sigaction present = view(number).action;
    if (present.sa_handler == SIG_DFL && ends_at_point(number)) set_program_action(number, present);
  }
}

}  // namespace heddle::rt
