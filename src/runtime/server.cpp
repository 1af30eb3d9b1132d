#include "runtime/server.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "runtime/carrier.h"
#include "runtime/check.h"
#include "runtime/hooks.h"
#include "runtime/pids.h"
#include "runtime/renew.h"
#include "runtime/run.h"
#include "runtime/sys.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kFirstPool = 4;
constexpr uint32_t kLargestPool = 64;

TraceHeader g_prefix;  // the trace as it stood when the server was reached: every child begins with it

void wake_tool() { sys(SYS_futex, &g_run.control->reply, FUTEX_WAKE, 1); }

// Waits for the next request; ends the process when the tool is gone.
void wait_for_command(uint32_t done) {
  Control* c = g_run.control;
  while (__atomic_load_n(&c->command, __ATOMIC_ACQUIRE) == done) {
    const timespec second{1, 0};
    sys(SYS_futex, &c->command, FUTEX_WAIT, done, &second);
    if (sys(SYS_kill, c->tool_pid, 0) == -ESRCH) sys(SYS_exit_group, 0);
  }
}

}  // namespace

void serve() {
  Control* c = g_run.control;
  memcpy(&g_prefix, g_run.header, sizeof g_prefix);
  uint32_t done = __atomic_load_n(&c->command, __ATOMIC_ACQUIRE);
  fill_pool(kFirstPool);
  survey_descriptors();
  if (live_children() > 0) note(kNoSite, "child processes from before the first thread cannot be waited for in a search");
  ServerState standing = ServerState::kReady;
  __atomic_store(&c->state, &standing, __ATOMIC_RELEASE);
  wake_tool();
  const long server = sys(SYS_getpid);
  for (;;) {
    wait_for_command(done);
    done = __atomic_load_n(&c->command, __ATOMIC_ACQUIRE);
    if (c->request == Request::kQuit) {
      __atomic_store_n(&c->reply, done, __ATOMIC_RELEASE);
      wake_tool();
      sys(SYS_exit_group, 0);
    }
    // As many donors as the last run used threads: in the child they are there without a system call.
    const uint32_t used = g_run.header->thread_count;
    if (used > kFirstPool) fill_pool(used < kLargestPool ? used : kLargestPool);
    memcpy(g_run.header, &g_prefix, sizeof g_prefix);
    begin_counts();
    // A raw clone: glibc's fork would reclaim the donors' stacks and rewrite the thread id that mutexes know their owner by. No exit signal: a program that handles SIGCHLD
    // must not be told of children that are not its own.
    const long child = sys(SYS_clone, 0, 0, 0, 0, 0);
    if (child == 0) {
      sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      if (sys(SYS_getppid) != server) sys(SYS_exit_group, 125);
      g_run.forked_copy = true;
      renew_descriptors();
      install_plan();
      return;
    }
    HEDDLE_CHECK(child > 0);
    __atomic_store_n(&c->child_pid, static_cast<int32_t>(child), __ATOMIC_RELEASE);
    int status = 0;
    while (sys(SYS_wait4, child, &status, 0x40000000 /* __WALL */, 0) == -EINTR) {
    }
    c->wait_status = status;
    c->child_pid = 0;
    __atomic_store_n(&c->reply, done, __ATOMIC_RELEASE);
    wake_tool();
  }
}

}  // namespace heddle::rt
