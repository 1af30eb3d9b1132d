#include "runtime/signals.h"

#include <signal.h>
#include <string.h>

#include "runtime/run.h"
#include "runtime/sys.h"

namespace heddle::rt {

namespace {

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
alignas(16) char g_alternate_stack[64 * 1024];

void on_fatal(int number, siginfo_t*, void*) {
  struct sigaction standard;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  sigaction(number, &standard, nullptr);
  if (g_run.attached) record_outcome(OutcomeKind::kSignal, number, strsignal(number));
  // Returning executes the faulting instruction again, now with the default action; a signal that was sent must be sent again.
  sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), number);
}

}  // namespace

void catch_fatal_signals() {
  if (!g_run.attached) return;
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = g_alternate_stack;
  stack.ss_size = sizeof g_alternate_stack;
  sigaltstack(&stack, nullptr);
  for (int number : kFatal) {
    struct sigaction present;
    if (sigaction(number, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_fatal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(number, &ours, nullptr);
  }
}

}  // namespace heddle::rt
