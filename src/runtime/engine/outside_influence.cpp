#include "runtime/engine/outside_influence.h"

#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "runtime/base/context.h"
#include "runtime/base/sys.h"
#include "runtime/base/valgrind.h"
#include "runtime/engine/run.h"
#include "runtime/engine/state_hash.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

bool g_influence_watched;

namespace {

constexpr char kLetCalls = 0, kStopCalls = 1;
volatile char g_call_selector;  // of the dispatch in a process that is not used again; in one that is, rewind.cpp has it
const char* g_disturbance;
int g_own_calls;

struct RawAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};
RawAction g_action_before;

void forward(int number, siginfo_t* info, void* context) {
  const RawAction& a = g_action_before;
  const auto handler = reinterpret_cast<uintptr_t>(a.handler);
  if (handler == reinterpret_cast<uintptr_t>(SIG_IGN)) return;
  if (handler != reinterpret_cast<uintptr_t>(SIG_DFL)) return a.handler(number, info, context);
  sys(SYS_rt_sigaction, SIGSYS, &a, nullptr, 8);
  sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), SIGSYS);
}

// One call is enough to know. It is made again by the one who made it.
void on_call(int number, siginfo_t* info, void* context) {
  if (info->si_code != kDispatched) return forward(number, info, context);
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  saw_call();
  g_call_selector = kLetCalls;
  registers[REG_RAX] = info->si_syscall;
  registers[REG_RIP] -= 2;
}

// Undone when the watch ends: no mark is left (call_effects.h).
bool set_counter(bool free) { return raw_syscall(SYS_prctl, PR_SET_TSC, free ? PR_TSC_ENABLE : PR_TSC_SIGSEGV, 0, 0, 0, 0) == 0; }

bool dispatch_to_us() {
  constexpr int kSetDispatch = 59, kOn = 1;  // PR_SET_SYSCALL_USER_DISPATCH
  if (under_valgrind()) return false;        // a call that it refuses with a message
  const AddressRange own = own_module();
  return sys(SYS_prctl, kSetDispatch, kOn, own.low, own.high - own.low, &g_call_selector) == 0;
}

}  // namespace

bool watch_influence(ThreadSlot* me) {
  if (!me->watched) {
    if (!kUpward.is_used_again() && !dispatch_to_us()) return false;
    if (!set_counter(false)) return false;
    me->watched = true;
  }
  if (!g_influence_watched) {
    const RawAction action{on_call, SA_SIGINFO | SA_NODEFER | 0x04000000 /* SA_RESTORER */, heddle_signal_return, 0};
    if (!kUpward.is_used_again() && sys(SYS_rt_sigaction, SIGSYS, &action, &g_action_before, 8) != 0) return false;
    g_influence_watched = true;
  }
  if (kUpward.is_used_again()) {
    kUpward.stop_all_calls();
  } else {
    g_call_selector = kStopCalls;
  }
  return true;
}

// The dispatch of a thread stays as it is: while the selector lets all calls pass it does nothing.
void stop_watching_influence(ThreadSlot* me) {
  if (g_influence_watched) {
    g_influence_watched = false;
    g_call_selector = kLetCalls;
    if (!kUpward.is_used_again()) sys(SYS_rt_sigaction, SIGSYS, &g_action_before, nullptr, 8);
  }
  if (me->watched) set_counter(true);
  me->watched = false;
}

void disturbed(const char* what) {
  if (g_influence_watched && g_disturbance == nullptr) g_disturbance = what;
}
const char* disturbance() { return g_disturbance; }
void clear_disturbance() { g_disturbance = nullptr; }

OwnCalls::OwnCalls() { ++g_own_calls; }
OwnCalls::~OwnCalls() { --g_own_calls; }

// What the engine itself needs at a point. Descriptors that lead outside are known where they are used.
void saw_own_call(long n) {
  if (g_own_calls != 0) return;
  switch (n) {
    case SYS_futex:
    case SYS_rt_sigprocmask:
    case SYS_rt_sigpending:
    case SYS_rt_sigaction:
    case SYS_sigaltstack:
    case SYS_prctl:
    case SYS_arch_prctl:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_gettid:
    case SYS_tgkill:
    case SYS_mmap:
    case SYS_munmap:
    case SYS_madvise:
    case SYS_mincore:
    case SYS_fstat:
    case SYS_fcntl:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_exit_group: return;
    default: saw_call();
  }
}

void saw_call() { disturbed("they make system calls meanwhile"); }

bool is_counter_read(int number, void* context) {
  if (number != SIGSEGV) return false;
  int mode = PR_TSC_ENABLE;
  if (sys(SYS_prctl, PR_GET_TSC, &mode, 0, 0, 0) != 0 || mode == PR_TSC_ENABLE) return false;
  const auto* at = reinterpret_cast<const unsigned char*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  const bool reads = at != nullptr && at[0] == 0x0F && (at[1] == 0x31 || (at[1] == 0x01 && at[2] == 0xF9));  // rdtsc, rdtscp
  if (!reads) return false;
  disturbed("they read the processor's time stamp meanwhile");
  if (g_run.active && t_managed) g_current->watched = false;
  return set_counter(true);
}

}  // namespace heddle::rt
