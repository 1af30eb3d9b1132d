// Calls that are no operations but change what is known about descriptors (outside/descriptor_facts.h).
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/outside/descriptor_facts.h"

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  members_changed(epoll, fd);
  return static_cast<int>(with_errno(sys(SYS_epoll_ctl, epoll, operation, fd, event)));
}

HEDDLE_EXPORT int setsockopt(int fd, int level, int option, const void* value, socklen_t size) noexcept {
  if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO)) forget_flags(fd);
  return static_cast<int>(with_errno(sys(SYS_setsockopt, fd, level, option, value, size)));
}

HEDDLE_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request == FIONBIO) forget_flags(fd);
  return static_cast<int>(with_errno(sys(SYS_ioctl, fd, request, argument)));
}

HEDDLE_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (flags == 0) forget_descriptors(first, last);
  return static_cast<int>(with_errno(sys(SYS_close_range, first, last, flags)));
}

HEDDLE_EXPORT void closefrom(int first) noexcept {
  static void (*library)(int);
  if (library == nullptr) library = next_symbol<void (*)(int)>("closefrom");
  forget_descriptors(first < 0 ? 0 : static_cast<unsigned>(first), ~0U);
  library(first);
}
