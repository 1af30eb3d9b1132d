// Calls that are no operations but change what is known about descriptors (outside/descriptor_facts.h).
#include <sys/epoll.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/peers.h"

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  members_changed(epoll, fd);
  long result = 0;
  if (active() && change_member(epoll, operation, fd, event, &result)) return static_cast<int>(with_errno(result));
  return static_cast<int>(with_errno(sys(SYS_epoll_ctl, epoll, operation, fd, event)));
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
