// The start and the ends of the process: main, exit, abort, failed assertions, fatal signals, fork.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/calls/thread.h"
#include "runtime/engine/cycles.h"
#include "runtime/engine/names.h"
#include "runtime/engine/sanitizer.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/cycle_counter.h"
#include "runtime/outside/signals.h"
#include "runtime/process/begin.h"
#include "runtime/process/rewind.h"

extern "C" int heddle_call_main(int (*main)(int, char**, char**), int argc, char** argv, char** environment);  // main_call.S
extern "C" const char* __progname;  // program_invocation_short_name, under a name that no program may use

namespace heddle::rt {

namespace {

int (*g_program_main)(int, char**, char**);
constexpr int kMainCallFrame = 8 * 8;

void on_main_unwound(void*) { finish_main(); }

void exit_point(int code, SiteId site) {
  Pending p{};
  p.op = Op::kExit;
  p.site = site;
  p.value = static_cast<uint64_t>(code);
  point(p);
  // A handler that ends the program has been waited for, and so has another thread that ends main's wait with success.
  if (g_current->signals.handlers == 0 && !(code == 0 && is_main_behind_cycle())) report_cycle();
  g_run.exiting = true;
  g_run.exit_code = code;
}

int controlled_main(int argc, char** argv, char** environment) {
  start_main();
  catch_fatal_signals();
  int code = 0;
  pthread_cleanup_push(on_main_unwound, nullptr);
  // Objects on main's stack are named from where its frame begins (DWARF's call frame address: the stack pointer at the call), so that the
  // tool can say which local it is. Above lie the arguments and the environment, whose size must not show in a name. Before its call the stub
  // puts a return address, six registers and a gap there.
  char* frame;
  asm volatile("mov %%rsp, %0" : "=r"(frame));
  if (active()) {
    g_threads[0].carrier.stack_high = frame - kMainCallFrame;
    g_threads[0].entry = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(g_program_main));
    name_row(g_threads[0]);
  }
  code = heddle_call_main(g_program_main, argc, argv, environment);
  pthread_cleanup_pop(0);
  if (active()) exit_point(code, kNoSite);
  return code;
}

// The first constructor of all (-z initfirst), before the C library's own: that has not found the environment yet.
__attribute__((constructor(101))) void on_load(int, char**, char** environment) {
  if (__environ == nullptr) __environ = environment;
  wake_sanitizer();
  attach();
  if (!g_run.attached) return;
  take_thread_creation();
  divert_counter_reads();
}

// Runs after the program's own handlers and destructors: the last word of a run that ends by exit.
__attribute__((destructor)) void on_unload() {
  if (active()) record_outcome(OutcomeKind::kExit, g_run.exit_code, "");
}

}  // namespace

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT int __libc_start_main(int (*program_main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                                    void (*rtld_fini)(), void* stack_end) {
  g_program_main = program_main;
  return real().__libc_start_main(g_run.attached ? controlled_main : program_main, argc, argv, init, fini, rtld_fini, stack_end);
}

HEDDLE_EXPORT void exit(int code) {
  if (active() && !g_run.exiting) exit_point(code, caller_site(__builtin_return_address(0)));
  real().exit(code);
  __builtin_unreachable();
}

HEDDLE_EXPORT void _exit(int code) {
  if (active()) {
    if (!g_run.exiting) exit_point(code, caller_site(__builtin_return_address(0)));
    record_outcome(OutcomeKind::kExit, code, "");
  }
  end_child((code & 0xFF) << 8);
  sys(SYS_exit_group, code);
  __builtin_unreachable();
}
HEDDLE_EXPORT void _Exit(int code) __attribute__((alias("_exit"), noreturn));

HEDDLE_EXPORT void abort() {
  if (active()) record_outcome(OutcomeKind::kAbort, SIGABRT, "");
  real().abort();
  __builtin_unreachable();
}

HEDDLE_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept {
  char text[kMaxMessage];
  snprintf(text, sizeof text, "%s (%s:%u, %s)", expression, file, line, function != nullptr ? function : "?");
  if (active()) record_outcome(OutcomeKind::kAssert, SIGABRT, text);
  char printed[kMaxMessage + 128];
  const int n = snprintf(printed, sizeof printed, "%s: %s:%u: %s: Assertion `%s' failed.\n", __progname, file, line,
                         function != nullptr ? function : "?", expression);
  sys(SYS_write, 2, printed, n);
  real().abort();
  __builtin_unreachable();
}
