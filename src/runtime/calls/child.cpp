// Child processes: started at a point, waited for at a point. Where no process of the program has a thread yet, the first that creates one is the
// one under control, be it a child; all others run uncontrolled.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/child.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/descriptors.h"
#include "runtime/outside/external_wait.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/recorded_names.h"
#include "runtime/outside/trap.h"
#include "runtime/process/begin.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// The number that the child will have which this thread is making.
__thread pid_t t_child_number __attribute__((tls_model("initial-exec")));

}  // namespace

namespace heddle::rt {

pid_t before_child() { return t_child_number = expect_child(); }

// Runs before the program's own atfork handlers of the child: their calls must already find it uncontrolled. Our constructor is the first
// of the process, and handlers run in the order in which they were registered.
void on_child() {
  const bool candidate = begins_as_candidate();
  if (!candidate) leave_run();
  name_child(t_child_number, candidate);
  if (candidate) parent_has_all();
  if (!candidate) randomise_addresses();
}

pid_t made_child(pid_t child, pid_t number) {
  if (child < 0) child_not_started();
  if (child <= 0) return child;
  const pid_t seen = child_started(child, number);
  has_forked();
  return seen;
}

}  // namespace heddle::rt

namespace {

__attribute__((constructor)) void watch_forks() { pthread_atfork(nullptr, nullptr, on_child); }

pid_t fork_at(void* pc) {
  if (active()) point(Op::kFork, nullptr, pc);
  const pid_t number = before_child();
  return made_child(real().fork(), number);
}

// `call` starts the program.
template <typename Call>
int spawned(pid_t* pid, char* const envp[], Call call) {
  pid_t child = 0;
  const ForAnotherProgram starts;
  const pid_t number = expect_child();
  const int error = call(&child, NumbersForExec(envp, number, program_pid()));
  if (error != 0) {
    child_not_started();
    return error;
  }
  child = child_started(child, number);
  if (pid != nullptr) *pid = child;
  return 0;
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

// The recording found the child there: the replay waits until it is.
void await_child(const ChildWait& wait) {
  constexpr int kPatienceMs = 20000;
  for (int waited = 0; waited < kPatienceMs && !child_ready(wait); ++waited) {
    const timespec pause{0, 1000000};
    sys(SYS_nanosleep, &pause, nullptr);
  }
}

// Has a child ended by now? In a recording that is input; its replay waits for the child where the recording found it, and not before.
template <typename Call>
long try_for_child(const ChildWait& wait, Call call) {
  if (!keeps_names()) return call();
  long recorded = 0;
  const bool exact = replays_exactly() && take_input(kKernelState, {nullptr, 0, 0, 1}, &recorded);
  if (replays_inputs() && !exact) return call();
  if (exact && recorded > 0) await_child(wait);
  const long result = exact && recorded <= 0 ? recorded : call();
  log_input(kKernelState, {nullptr, 0, 0, 1}, result > 0 ? 1 : result);
  return result;
}

// What the log says of a wait that blocks: that it began, and then either of these, with the step from which it was over. A wait that a signal ends
// has the first alone.
enum WaitRecord : long { kWaitBegan = 0, kWaitEnded, kWaitLost };  // lost: another thread took the child

bool begins_recorded() {
  if (!keeps_names() || plays_peers()) return false;
  long recorded = 0;
  // Recordings from before say nothing of it.
  if (replays_inputs() && !take_input(Op::kWaitChild, {}, &recorded)) return false;
  g_current->ready_since = 0;
  log_input(Op::kWaitChild, {}, kWaitBegan);
  return true;
}

const InputRecord* recorded_end(const ThreadSlot& thread) {
  const InputRecord* r = recorded_answer(thread.id, thread.inputs);
  return r != nullptr && r->op == Op::kWaitChild && r->result != kWaitBegan ? r : nullptr;
}

template <typename Call>
long end_wait(const ChildWait& wait, Call call) {
  if (!wait.recorded) return call();
  long found = kWaitEnded;
  const uint64_t since = g_current->ready_since;
  if (replays_inputs() && recorded_end(*g_current) != nullptr) take_input(Op::kWaitChild, {}, &found);
  if (replays_exactly() && found == kWaitEnded) await_child(wait);
  if (!replays_exactly()) g_current->ready_since = since;
  const bool lost = replays_exactly() && found == kWaitLost;
  const long result = lost ? 0 : call();
  log_input(Op::kWaitChild, {}, result != 0 ? kWaitEnded : kWaitLost);
  return result;
}

// `call` reaps without waiting: returns the child's real number, 0 for none, or -errno.
template <typename Call>
long wait_at(ChildWait wait, bool tries, void* pc, Call call) {
  Pending p{};
  p.op = Op::kWaitChild;
  p.address = tries ? nullptr : &wait;
  p.site = caller_site(pc);
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  if (!tries) wait.recorded = begins_recorded();
  if (!tries && !wait.recorded) be_patient(wait);
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -EINTR;
    const long result = tries ? try_for_child(wait, call) : end_wait(wait, call);
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

// A child of a process that is not under control has ended, or not: its number as the program knows it.
pid_t reaped(pid_t real, const int* status) {
  const pid_t seen = seen_pid(real);
  if (real > 0 && status != nullptr && (WIFEXITED(*status) || WIFSIGNALED(*status))) child_reaped(real);
  return seen;
}

}  // namespace

bool heddle::rt::child_over(const ThreadSlot& thread, const ChildWait& wait) {
  if (!wait.recorded) return child_ready(wait);
  if (replays_exactly()) {
    const InputRecord* end = recorded_end(thread);
    return end != nullptr && g_run.step >= step_of_stamp(end->stamp);
  }
  auto& t = const_cast<ThreadSlot&>(thread);
  const bool over = child_ready(wait);
  if (!over) t.ready_since = 0;
  if (over && t.ready_since == 0) t.ready_since = g_run.step + 1;
  return over;
}

HEDDLE_EXPORT pid_t fork() noexcept { return fork_at(__builtin_return_address(0)); }

// Without the handlers of atfork.
HEDDLE_EXPORT pid_t _Fork() noexcept {
  static pid_t (*library)();
  if (library == nullptr) library = next_symbol<pid_t (*)()>("_Fork");
  if (active()) point(Op::kFork, nullptr, __builtin_return_address(0));
  const pid_t number = before_child();
  const pid_t child = library();
  if (child == 0) on_child();
  return made_child(child, number);
}

// The child of a vfork runs on its parent's stack and memory; ours would run the parent's schedule with it. A fork keeps all promises
// that POSIX makes about vfork.
HEDDLE_EXPORT pid_t vfork() noexcept { return fork_at(__builtin_return_address(0)); }

HEDDLE_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                              char* const argv[], char* const envp[]) {
  if (active()) point(Op::kFork, nullptr, __builtin_return_address(0));
  return spawned(pid, envp, [&](pid_t* child, char* const* environment) {
    return real_io().posix_spawn(child, path, actions, attributes, argv, environment);
  });
}

HEDDLE_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                               char* const argv[], char* const envp[]) {
  if (active()) point(Op::kFork, nullptr, __builtin_return_address(0));
  return spawned(pid, envp, [&](pid_t* child, char* const* environment) {
    return real_io().posix_spawnp(child, file, actions, attributes, argv, environment);
  });
}

HEDDLE_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  if (!active()) return reaped(real_io().waitpid(real_pid(pid), status, options), status);
  return wait_for(pid, status, options, nullptr, __builtin_return_address(0));
}

HEDDLE_EXPORT pid_t wait(int* status) {
  if (!active()) return reaped(real_io().waitpid(-1, status, 0), status);
  return wait_for(-1, status, 0, nullptr, __builtin_return_address(0));
}

HEDDLE_EXPORT pid_t wait3(int* status, int options, rusage* usage) {
  if (!active()) return reaped(real_io().wait3(status, options, usage), status);
  return wait_for(-1, status, options, usage, __builtin_return_address(0));
}

HEDDLE_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) {
  if (!active()) return reaped(real_io().wait4(real_pid(pid), status, options, usage), status);
  return wait_for(pid, status, options, usage, __builtin_return_address(0));
}

HEDDLE_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  const auto number = static_cast<pid_t>(id);
  const int wanted = type == P_PID ? real_pid(number) : type == P_PGID ? real_group(number) : number;
  siginfo_t own;
  if (info == nullptr) info = &own;
  if (!active()) {
    const int result = real_io().waitid(type, static_cast<id_t>(wanted), info, options);
    if (result == 0) info->si_pid = seen_pid(info->si_pid);
    return result;
  }
  memset(info, 0, sizeof *info);
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
