#include "runtime/pids.h"

#include "runtime/placement.h"
#include "runtime/run.h"
#include "runtime/sys.h"

namespace heddle::rt {

namespace {

constexpr pid_t kFirstPid = 20000;
constexpr pid_t kPids = 5000;
// Children are numbered above the threads.
constexpr pid_t kFirstChild = 40000;
constexpr uint32_t kMaxChildren = 1024;

struct Child {
  pid_t real;
  pid_t seen;
};
HEDDLE_APART Child g_children[kMaxChildren];
uint32_t g_child_count;
pid_t g_next_child = kFirstChild;
uint32_t g_lost;  // children beyond the table

bool constant() { return g_run.plan.header != nullptr && g_run.plan.header->env_seed != 0; }

}  // namespace

pid_t program_pid() {
  if (!constant()) return static_cast<pid_t>(sys(SYS_getpid));
  return kFirstPid + static_cast<pid_t>(mix(g_run.plan.header->env_seed, 2) % kPids);
}

pid_t program_parent() { return constant() ? kFirstPid - 1 : static_cast<pid_t>(sys(SYS_getppid)); }

pid_t program_tid(const ThreadSlot& thread) {
  if (!constant() && !g_run.forked_copy) return thread.tid;
  return program_pid() + static_cast<pid_t>(thread.index);
}

ThreadSlot* thread_with_tid(pid_t tid) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot* t = &g_threads[g_live[i].slot];
    if (program_tid(*t) == tid) return t;
  }
  return nullptr;
}

// A number kept from before main, or from before the fork server's fork, means this process as well.
bool is_this_process(pid_t seen) {
  return seen == program_pid() || seen == static_cast<pid_t>(sys(SYS_getpid)) || seen == g_threads[0].process;
}

pid_t real_pid(pid_t seen) {
  if (seen <= 0) return seen == -1 || seen == 0 ? seen : -real_pid(-seen);
  for (uint32_t i = 0; i < g_child_count; ++i) {
    if (g_children[i].seen == seen) return g_children[i].real;
  }
  return seen == program_pid() ? static_cast<pid_t>(sys(SYS_getpid)) : seen;
}

pid_t seen_pid(pid_t real) {
  for (uint32_t i = 0; i < g_child_count; ++i) {
    if (g_children[i].real == real) return g_children[i].seen;
  }
  return real == static_cast<pid_t>(sys(SYS_getpid)) ? program_pid() : real;
}

pid_t child_started(pid_t real) {
  if (g_child_count == kMaxChildren) {
    ++g_lost;
    return real;
  }
  const pid_t seen = constant() ? g_next_child++ : real;
  g_children[g_child_count++] = {real, seen};
  return seen;
}

void child_reaped(pid_t real) {
  for (uint32_t i = 0; i < g_child_count; ++i) {
    if (g_children[i].real != real) continue;
    g_children[i] = g_children[--g_child_count];
    return;
  }
  if (g_lost > 0) --g_lost;
}

uint32_t live_children() { return g_child_count + g_lost; }

}  // namespace heddle::rt
