// Child processes: started at a point, uncontrolled themselves, waited for at a point.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/descriptors.h"
#include "runtime/lock.h"
#include "runtime/names.h"
#include "runtime/outside.h"
#include "runtime/pids.h"
#include "runtime/real.h"
#include "runtime/real_io.h"
#include "runtime/scheduler.h"
#include "runtime/sys.h"
#include "runtime/trap.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// Runs before the program's own atfork handlers of the child: their calls must already find it uncontrolled.
void on_child() {
  g_run.active = false;
  g_run.attached = false;
  randomise_addresses();
}

__attribute__((constructor)) void watch_forks() { pthread_atfork(nullptr, nullptr, on_child); }

pid_t fork_at(void* pc) {
  point(Op::kFork, nullptr, pc);
  const pid_t child = real().fork();
  if (child == 0) on_child();
  return child > 0 ? child_started(child) : child;
}

ChildWait wait_of(pid_t pid, int options) {
  int wanted = WEXITED;
  if ((options & WUNTRACED) != 0) wanted |= WSTOPPED;
  if ((options & WCONTINUED) != 0) wanted |= WCONTINUED;
  wanted |= options & (__WALL | static_cast<int>(__WCLONE) | __WNOTHREAD);
  if (pid > 0) return {P_PID, pid, wanted};
  if (pid == -1) return {P_ALL, 0, wanted};
  return {P_PGID, -pid, wanted};
}

// `call` reaps without waiting: returns the child's real number, 0 for none, or -errno.
template <typename Call>
long wait_at(const ChildWait& wait, bool tries, void* pc, Call call) {
  Pending p{};
  p.op = Op::kWaitChild;
  p.address = tries ? nullptr : &wait;
  p.site = caller_site(pc);
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  if (!tries) be_patient(wait);
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -EINTR;
    const long result = call();
    if (tries) mark_try(e, result == 0);
    if (tries || result != 0) return result;
  }
}

pid_t wait_for(pid_t pid, int* status, int options, rusage* usage, void* pc) {
  int own = 0;
  if (status == nullptr) status = &own;
  const pid_t wanted = real_pid(pid);
  const long child = wait_at(wait_of(wanted, options), (options & WNOHANG) != 0, pc,
                             [&] { return sys(SYS_wait4, wanted, status, options | WNOHANG, usage); });
  if (child <= 0) return static_cast<pid_t>(with_errno(child));
  const auto real_child = static_cast<pid_t>(child);
  const pid_t seen = seen_pid(real_child);
  if (WIFEXITED(*status) || WIFSIGNALED(*status)) child_reaped(real_child);
  return seen;
}

}  // namespace

HEDDLE_EXPORT pid_t fork() noexcept {
  if (!active()) return real().fork();
  return fork_at(__builtin_return_address(0));
}

// The child of a vfork runs on its parent's stack and memory; ours would run the parent's schedule with it. A fork keeps all promises
// that POSIX makes about vfork.
HEDDLE_EXPORT pid_t vfork() noexcept {
  if (!active()) return real().fork();
  return fork_at(__builtin_return_address(0));
}

HEDDLE_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                              char* const argv[], char* const envp[]) {
  if (!active()) return real_io().posix_spawn(pid, path, actions, attributes, argv, envp);
  point(Op::kFork, nullptr, __builtin_return_address(0));
  pid_t child = 0;
  const ForAnotherProgram starts;
  const int error = real_io().posix_spawn(&child, path, actions, attributes, argv, envp);
  if (error == 0) child = child_started(child);
  if (error == 0 && pid != nullptr) *pid = child;
  return error;
}

HEDDLE_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                               char* const argv[], char* const envp[]) {
  if (!active()) return real_io().posix_spawnp(pid, file, actions, attributes, argv, envp);
  point(Op::kFork, nullptr, __builtin_return_address(0));
  pid_t child = 0;
  const ForAnotherProgram starts;
  const int error = real_io().posix_spawnp(&child, file, actions, attributes, argv, envp);
  if (error == 0) child = child_started(child);
  if (error == 0 && pid != nullptr) *pid = child;
  return error;
}

// The whole life of the command is one operation: the other threads stand still meanwhile.
HEDDLE_EXPORT int system(const char* command) {
  if (active()) point(Op::kFork, nullptr, __builtin_return_address(0));
  const ForAnotherProgram starts;
  return real_io().system(command);
}

HEDDLE_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  if (!active()) return real_io().waitpid(pid, status, options);
  return wait_for(pid, status, options, nullptr, __builtin_return_address(0));
}

HEDDLE_EXPORT pid_t wait(int* status) {
  if (!active()) return real_io().waitpid(-1, status, 0);
  return wait_for(-1, status, 0, nullptr, __builtin_return_address(0));
}

HEDDLE_EXPORT pid_t wait3(int* status, int options, rusage* usage) {
  if (!active()) return real_io().wait3(status, options, usage);
  return wait_for(-1, status, options, usage, __builtin_return_address(0));
}

HEDDLE_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) {
  if (!active()) return real_io().wait4(pid, status, options, usage);
  return wait_for(pid, status, options, usage, __builtin_return_address(0));
}

HEDDLE_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if (!active()) return real_io().waitid(type, id, info, options);
  siginfo_t own;
  if (info == nullptr) info = &own;
  memset(info, 0, sizeof *info);
  const auto wanted = type == P_PID ? static_cast<int>(real_pid(static_cast<pid_t>(id))) : static_cast<int>(id);
  const ChildWait wait{static_cast<int>(type), wanted, options & ~(WNOHANG | WNOWAIT)};
  const long result = wait_at(wait, (options & WNOHANG) != 0, __builtin_return_address(0), [&]() -> long {
    const long error = sys(SYS_waitid, type, wanted, info, options | WNOHANG, nullptr);
    return error != 0 ? error : info->si_pid;
  });
  if (result < 0) return static_cast<int>(with_errno(result));
  if (result == 0) return 0;
  const pid_t child = info->si_pid;
  const bool gone = info->si_code == CLD_EXITED || info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED;
  info->si_pid = seen_pid(child);
  if (gone && (options & WNOWAIT) == 0) child_reaped(child);
  return 0;
}
