#pragma once
// The C library's own descriptor, signal, process and stream functions, behind our interposers. Resolved together, once.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace heddle::rt {

// clang-format wraps such a list in another way each time.
// clang-format off
#define HEDDLE_REAL_IO(X) \
  X(read) X(readv) X(write) X(writev) X(close) X(recv) X(recvfrom) X(recvmsg) X(send) X(sendto) X(sendmsg) X(accept) X(accept4) \
  X(connect) X(poll) X(ppoll) X(select) X(pselect) X(epoll_wait) X(epoll_pwait) X(sigaction) X(sigaltstack) X(sigwait) \
  X(sigwaitinfo) X(sigtimedwait) X(sigsuspend) X(pause) X(raise) X(pthread_kill) X(pthread_sigqueue) X(pthread_cancel) \
  X(pthread_setcancelstate) X(pthread_setcanceltype) X(pthread_testcancel) X(waitpid) X(wait3) X(wait4) X(waitid) X(posix_spawn) \
  X(posix_spawnp) X(system) X(popen) X(timer_create) X(timer_settime) X(timer_gettime) X(timer_delete) X(timer_getoverrun)
// clang-format on

struct RealIo {
#define HEDDLE_FIELD(name) decltype(&::name) name;
  HEDDLE_REAL_IO(HEDDLE_FIELD)
#undef HEDDLE_FIELD
};

extern RealIo g_real_io;
extern bool g_real_io_ready;
void resolve_real_io();
inline const RealIo& real_io() {
  if (__builtin_expect(!g_real_io_ready, 0)) resolve_real_io();
  return g_real_io;
}

void* find_next(const char* name);
// A function that only few programs call: looked up when one does.
template <typename Function>
Function next_symbol(const char* name) {
  return reinterpret_cast<Function>(find_next(name));
}

// A raw system call's result as the C library gives it.
long with_errno(long result);

}  // namespace heddle::rt
