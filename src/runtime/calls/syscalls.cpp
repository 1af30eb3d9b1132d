// syscall(): futexes of Rust's standard library, GLib, std::future, C++20 atomic waits and TBB, and calls that have an interposer of
// their own.
#include "runtime/calls/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/child.h"
#include "runtime/calls/clone.h"
#include "runtime/engine/futex.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/strange_threads.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/uring.h"

// The C library's header declares it without C linkage.
extern "C" int pidfd_send_signal(int fd, int number, siginfo_t* info, unsigned flags) noexcept;

namespace heddle::rt {

namespace {

template <typename T>
T* at(long value) {
  return reinterpret_cast<T*>(value);
}
int number_of(long value) { return static_cast<int>(value); }
size_t size_of(long value) { return static_cast<size_t>(value); }

// The kernel's set has 8 bytes where the C library's has 128.
long change_mask(int how, const uint64_t* set, uint64_t* old) {
  sigset_t wanted;
  sigset_t before;
  sigemptyset(&wanted);
  if (set != nullptr) memcpy(&wanted, set, sizeof *set);
  const int result = sigprocmask(how, set != nullptr ? &wanted : nullptr, &before);
  if (result == 0 && old != nullptr) memcpy(old, &before, sizeof *old);
  return result;
}

// The same for calls that take a set; 0: none is given.
template <typename Call>
long wait_with_mask(long set, Call call) {
  sigset_t wanted;
  sigemptyset(&wanted);
  if (set != 0) memcpy(&wanted, at<const uint64_t>(set), sizeof(uint64_t));
  return call(set != 0 ? &wanted : nullptr);
}

// A clone by its number. False: it is made as it is. A stack of its own has been made ready for the return of the very call.
bool cloned(long number, const long* a, uint64_t flags, uint64_t stack, const void* pc, long* result) {
  const CloneKind kind = clone_kind(flags);
  if (kind == CloneKind::kThread) note_strange_thread(const_cast<void*>(pc));
  if (kind != CloneKind::kProcess || stack != 0) return false;
  point(Op::kFork, nullptr, const_cast<void*>(pc));
  const pid_t expected = before_child();
  const long child = raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (child == 0) on_child();
  *result = with_errno(child);
  if (child != 0) *result = made_child(static_cast<pid_t>(*result), expected);
  return true;
}

}  // namespace

bool forwarded_syscall(long number, const long* a, const void* pc, long* result) {
  CalledFrom outer(pc);
  switch (number) {
    case SYS_getpid: *result = getpid(); return true;
    case SYS_gettid: *result = gettid(); return true;
    // The word that the kernel clears is glibc's, and of the thread that carries the others.
    case SYS_set_tid_address: *result = gettid(); return true;
    case SYS_getppid: *result = getppid(); return true;
    case SYS_getpgid: *result = getpgid(number_of(a[0])); return true;
    case SYS_getpgrp: *result = getpgrp(); return true;
    case SYS_setpgid: *result = setpgid(number_of(a[0]), number_of(a[1])); return true;
    case SYS_getsid: *result = getsid(number_of(a[0])); return true;
    case SYS_setsid: *result = setsid(); return true;
    case SYS_fork:
    case SYS_vfork: *result = fork(); return true;
    case SYS_clone: return cloned(number, a, static_cast<uint64_t>(a[0]), static_cast<uint64_t>(a[1]), pc, result);
    case SYS_clone3:
      return a[0] != 0 && cloned(number, a, at<const clone_args>(a[0])->flags, at<const clone_args>(a[0])->stack, pc, result);
    case SYS_pidfd_send_signal:
      *result = pidfd_send_signal(number_of(a[0]), number_of(a[1]), at<siginfo_t>(a[2]), static_cast<unsigned>(a[3]));
      return true;
    case SYS_pidfd_open: *result = with_errno(sys(SYS_pidfd_open, real_pid(number_of(a[0])), a[1])); return true;
    case SYS_kill: *result = kill(number_of(a[0]), number_of(a[1])); return true;
    case SYS_tgkill: *result = tgkill(number_of(a[0]), number_of(a[1]), number_of(a[2])); return true;
    case SYS_tkill: *result = tgkill(getpid(), number_of(a[0]), number_of(a[1])); return true;
    case SYS_rt_sigprocmask: *result = change_mask(number_of(a[0]), at<const uint64_t>(a[1]), at<uint64_t>(a[2])); return true;
    case SYS_getrandom: *result = getrandom(at<void>(a[0]), size_of(a[1]), static_cast<unsigned>(a[2])); return true;
    case SYS_read: *result = read(number_of(a[0]), at<void>(a[1]), size_of(a[2])); return true;
    case SYS_write: *result = write(number_of(a[0]), at<const void>(a[1]), size_of(a[2])); return true;
    case SYS_readv: *result = readv(number_of(a[0]), at<const iovec>(a[1]), number_of(a[2])); return true;
    case SYS_writev: *result = writev(number_of(a[0]), at<const iovec>(a[1]), number_of(a[2])); return true;
    case SYS_close: *result = close(number_of(a[0])); return true;
    case SYS_dup2: *result = dup2(number_of(a[0]), number_of(a[1])); return true;
    case SYS_dup3: *result = dup3(number_of(a[0]), number_of(a[1]), number_of(a[2])); return true;
    case SYS_close_range: forget_descriptors(static_cast<unsigned>(a[0]), static_cast<unsigned>(a[1])); return false;
    case SYS_fcntl:
      if (a[1] == F_SETFL) forget_flags(number_of(a[0]));
      return false;
    case SYS_ioctl: forget_flags(number_of(a[0])); return false;
    case SYS_setsockopt:
      forget_flags(number_of(a[0]));
      *result = setsockopt(number_of(a[0]), number_of(a[1]), number_of(a[2]), at<const void>(a[3]), static_cast<socklen_t>(a[4]));
      return true;
    case SYS_getsockopt:
      *result = getsockopt(number_of(a[0]), number_of(a[1]), number_of(a[2]), at<void>(a[3]), at<socklen_t>(a[4]));
      return true;
    case SYS_getpeername: *result = getpeername(number_of(a[0]), at<sockaddr>(a[1]), at<socklen_t>(a[2])); return true;
    case SYS_getsockname: *result = getsockname(number_of(a[0]), at<sockaddr>(a[1]), at<socklen_t>(a[2])); return true;
    case SYS_shutdown: *result = shutdown(number_of(a[0]), number_of(a[1])); return true;
    case SYS_epoll_ctl: members_changed(number_of(a[0]), number_of(a[2])); return false;
    case SYS_poll: *result = poll(at<pollfd>(a[0]), size_of(a[1]), number_of(a[2])); return true;
    case SYS_select:
      *result = select(number_of(a[0]), at<fd_set>(a[1]), at<fd_set>(a[2]), at<fd_set>(a[3]), at<timeval>(a[4]));
      return true;
    case SYS_ppoll:
      *result = wait_with_mask(
          a[3], [&](const sigset_t* mask) { return ppoll(at<pollfd>(a[0]), size_of(a[1]), at<const timespec>(a[2]), mask); });
      return true;
    case SYS_epoll_pwait:
      *result = wait_with_mask(a[4], [&](const sigset_t* mask) {
        return epoll_pwait(number_of(a[0]), at<epoll_event>(a[1]), number_of(a[2]), number_of(a[3]), mask);
      });
      return true;
    case SYS_pause: *result = pause(); return true;
    case SYS_rt_sigsuspend: *result = wait_with_mask(a[0], [](const sigset_t* mask) { return sigsuspend(mask); }); return true;
    case SYS_rt_sigtimedwait:
      *result = wait_with_mask(a[0], [&](const sigset_t* set) { return sigtimedwait(set, at<siginfo_t>(a[1]), at<const timespec>(a[2])); });
      return true;
    case SYS_epoll_wait: *result = epoll_wait(number_of(a[0]), at<epoll_event>(a[1]), number_of(a[2]), number_of(a[3])); return true;
    case SYS_accept: *result = accept(number_of(a[0]), at<sockaddr>(a[1]), at<socklen_t>(a[2])); return true;
    case SYS_accept4: *result = accept4(number_of(a[0]), at<sockaddr>(a[1]), at<socklen_t>(a[2]), number_of(a[3])); return true;
    case SYS_connect: *result = connect(number_of(a[0]), at<const sockaddr>(a[1]), static_cast<socklen_t>(a[2])); return true;
    case SYS_sendto:
      *result = sendto(number_of(a[0]), at<const void>(a[1]), size_of(a[2]), number_of(a[3]), at<const sockaddr>(a[4]),
                       static_cast<socklen_t>(a[5]));
      return true;
    case SYS_recvfrom:
      *result = recvfrom(number_of(a[0]), at<void>(a[1]), size_of(a[2]), number_of(a[3]), at<sockaddr>(a[4]), at<socklen_t>(a[5]));
      return true;
    case SYS_nanosleep: *result = nanosleep(at<const timespec>(a[0]), at<timespec>(a[1])); return true;
    case SYS_clock_gettime: *result = clock_gettime(number_of(a[0]), at<timespec>(a[1])); return true;
    case SYS_clock_nanosleep:
      *result = with_errno(-clock_nanosleep(number_of(a[0]), number_of(a[1]), at<const timespec>(a[2]), at<timespec>(a[3])));
      return true;
    case SYS_prctl: *result = prctl(number_of(a[0]), a[1], a[2], a[3], a[4]); return true;
    case SYS_seccomp:
      if (a[0] == SECCOMP_SET_MODE_STRICT) before_strict_mode();
      if (a[0] == SECCOMP_SET_MODE_FILTER) before_filter(at<const void>(a[2]));
      return false;
    case SYS_ptrace:
      if (a[0] != PTRACE_TRACEME) before_trace(number_of(a[1]));
      return false;
    case SYS_io_uring_enter: *result = with_errno(uring_enter(a, const_cast<void*>(pc))); return true;
    case SYS_getrusage: *result = getrusage(static_cast<__rusage_who_t>(a[0]), at<rusage>(a[1])); return true;
    case SYS_wait4: *result = wait4(number_of(a[0]), at<int>(a[1]), number_of(a[2]), at<rusage>(a[3])); return true;
    default: return forwarded_file_call(number, a, result);
  }
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& x : a) x = va_arg(arguments, long);
  va_end(arguments);
  long result = kFutexUnknown;
  if (active()) {
    if (number == SYS_futex) {
      result = model_futex(reinterpret_cast<uint32_t*>(a[0]), static_cast<int>(a[1]), static_cast<uint32_t>(a[2]),
                           reinterpret_cast<const timespec*>(a[3]), reinterpret_cast<uint32_t*>(a[4]), static_cast<uint32_t>(a[5]),
                           __builtin_return_address(0));
      if (result == kFutexUnknown) note(caller_site(__builtin_return_address(0)), "a futex operation that is not modelled");
    } else if (number == SYS_sched_yield) {
      point(Op::kYield, nullptr, __builtin_return_address(0));
      return 0;
    } else if (long forwarded = 0; forwarded_syscall(number, a, __builtin_return_address(0), &forwarded)) {
      return forwarded;
    }
  }
  if (result == kFutexUnknown) result = raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
