// Calls by which a program takes from us what we need to control it: a filter of system calls, or control of other processes.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/syscalls.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/outside/pids.h"

namespace heddle::rt {

namespace {

// What the runtime itself calls in the middle of a run and at its end.
constexpr uint32_t kNeeded[] = {SYS_futex, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigreturn,  SYS_rt_sigpending,
                                SYS_mmap,  SYS_munmap,         SYS_madvise,      SYS_getpid,        SYS_gettid,
                                SYS_ppoll, SYS_prctl,          SYS_arch_prctl,   SYS_clock_gettime, SYS_exit_group,
                                SYS_exit,  SYS_write,          SYS_tgkill,       SYS_getrusage,     SYS_sched_yield};

// The verdict of a filter on a call with arguments of 0, from our code. Of the language of filters, what they are made of in practice:
// anything else counts as a refusal.
uint32_t verdict(const sock_fprog& program, const seccomp_data& call) {
  uint32_t a = 0;
  const auto* words = reinterpret_cast<const uint32_t*>(&call);
  for (uint32_t at = 0; at < program.len; ++at) {
    const sock_filter& f = program.filter[at];
    bool holds = false;
    switch (f.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (f.k % 4 != 0 || f.k >= sizeof call) return SECCOMP_RET_KILL_PROCESS;
        a = words[f.k / 4];
        continue;
      case BPF_RET | BPF_K: return f.k & SECCOMP_RET_ACTION_FULL;
      case BPF_ALU | BPF_AND | BPF_K: a &= f.k; continue;
      case BPF_JMP | BPF_JA: at += f.k; continue;
      case BPF_JMP | BPF_JEQ | BPF_K: holds = a == f.k; break;
      case BPF_JMP | BPF_JGT | BPF_K: holds = a > f.k; break;
      case BPF_JMP | BPF_JGE | BPF_K: holds = a >= f.k; break;
      case BPF_JMP | BPF_JSET | BPF_K: holds = (a & f.k) != 0; break;
      default: return SECCOMP_RET_KILL_PROCESS;
    }
    at += holds ? f.jt : f.jf;
  }
  return SECCOMP_RET_KILL_PROCESS;
}

bool lets_us_work(const sock_fprog* program) {
  if (program == nullptr) return true;  // the kernel refuses it
  for (uint32_t number : kNeeded) {
    seccomp_data call{};
    call.nr = static_cast<int>(number);
    call.arch = AUDIT_ARCH_X86_64;
    call.instruction_pointer = reinterpret_cast<uintptr_t>(&lets_us_work);
    const uint32_t v = verdict(*program, call);
    if (v != SECCOMP_RET_ALLOW && v != SECCOMP_RET_LOG) return false;
  }
  return true;
}

}  // namespace

void before_filter(const void* program) {
  if (!active() || lets_us_work(static_cast<const sock_fprog*>(program))) return;
  end_run(OutcomeKind::kCannotControl, 0, "the program's own seccomp filter forbids system calls that Heddle needs");
}

void before_strict_mode() {
  if (active()) end_run(OutcomeKind::kCannotControl, 0, "the program enters seccomp's strict mode, in which Heddle cannot control it");
}

// Stopped for a tracer that goes away now, a child would stay for ever.
void before_trace(pid_t traced) {
  if (!active()) return;
  siginfo_t info{};
  const pid_t child = real_pid(traced);
  if (child > 0 && sys(SYS_waitid, P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT, nullptr) == 0) sys(SYS_kill, child, SIGKILL);
  end_run(OutcomeKind::kCannotControl, 0, "the program controls other processes by ptrace: test the program that it starts");
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT int prctl(int option, ...) {
  va_list arguments;
  va_start(arguments, option);
  long a[4];
  for (long& x : a) x = va_arg(arguments, long);
  va_end(arguments);
  if (option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_STRICT) before_strict_mode();
  if (option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_FILTER) before_filter(reinterpret_cast<const void*>(a[1]));
  return static_cast<int>(with_errno(sys(SYS_prctl, option, a[0], a[1], a[2], a[3])));
}

HEDDLE_EXPORT long ptrace(__ptrace_request request, ...) {
  va_list arguments;
// The C library declares it so: an enumeration as wide as what it is promoted to.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvarargs"
  va_start(arguments, request);
#pragma GCC diagnostic pop
  const long pid = va_arg(arguments, int);
  void* address = va_arg(arguments, void*);
  void* data = va_arg(arguments, void*);
  va_end(arguments);
  // A program that asks to be traced by its parent controls nobody.
  if (request != PTRACE_TRACEME) before_trace(static_cast<pid_t>(pid));
  long word = 0;
  const bool peeks = request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA || request == PTRACE_PEEKUSER;
  const long result = with_errno(sys(SYS_ptrace, request, pid, address, peeks ? &word : data));
  if (!peeks || result < 0) return result;
  errno = 0;
  return word;
}
