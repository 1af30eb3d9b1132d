// What a program asks and says about its sockets. Of one that leads outside the answer is input: in a replay nobody is at the other end of it.
#include "runtime/calls/socket_state.h"

#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/pids.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// How much the kernel writes where it answers a question about a socket or about the interfaces of the machine; 0: it is another call.
size_t answer_bytes(unsigned long request) {
  if (request == FIONREAD || request == TIOCOUTQ || request == SIOCATMARK) return sizeof(int);
  if (request == SIOCGARP) return sizeof(arpreq);
  const bool interface = request >= SIOCGIFNAME && request < SIOCDARP && request != SIOCGIFCONF;
  return interface ? sizeof(ifreq) : 0;
}

long ask_for_name_of(int fd, sockaddr* name, socklen_t* length, long call) {
  if (length == nullptr) return sys(call, fd, name, length);
  const iovec filled[2] = {{length, sizeof *length}, {name, *length}};
  const auto ask = [&] { return sys(call, fd, name, length); };
  const DescriptorInfo info = describe(fd);
  const bool inside = info.socket && info.reach != Reach::kForeign && keeps_names() && !plays_peers();
  if (!inside) return ask_socket(fd, {filled, 2, 2, 0}, ask);
  // A port that the kernel chose.
  long result = ask();
  if (!replays_inputs() || take_input(kSocketName, {filled, 2, 2, 0}, &result)) log_input(kSocketName, {filled, 2, 2, 0}, result);
  return result;
}

}  // namespace

HEDDLE_EXPORT int getpeername(int fd, sockaddr* name, socklen_t* length) noexcept {
  return static_cast<int>(with_errno(ask_for_name_of(fd, name, length, SYS_getpeername)));
}

HEDDLE_EXPORT int getsockname(int fd, sockaddr* name, socklen_t* length) noexcept {
  return static_cast<int>(with_errno(ask_for_name_of(fd, name, length, SYS_getsockname)));
}

HEDDLE_EXPORT int getsockopt(int fd, int level, int option, void* value, socklen_t* length) noexcept {
  const auto ask = [&] {
    const long result = sys(SYS_getsockopt, fd, level, option, value, length);
    if (result == 0 && level == SOL_SOCKET && option == SO_PEERCRED && *length >= sizeof(ucred)) {
      auto* who = static_cast<ucred*>(value);
      who->pid = seen_pid(who->pid);
    }
    return result;
  };
  if (length == nullptr || value == nullptr) return static_cast<int>(with_errno(ask()));
  const iovec filled[2] = {{length, sizeof *length}, {value, *length}};
  return static_cast<int>(with_errno(ask_socket(fd, {filled, 2, 2, 0}, ask)));
}

HEDDLE_EXPORT int setsockopt(int fd, int level, int option, const void* value, socklen_t size) noexcept {
  if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO)) forget_flags(fd);
  return static_cast<int>(with_errno(ask_socket(fd, {}, [&] { return sys(SYS_setsockopt, fd, level, option, value, size); })));
}

HEDDLE_EXPORT int shutdown(int fd, int how) noexcept {
  if (active()) {
    Pending p{};
    p.op = Op::kClose;
    p.object = descriptor_object(describe(fd));
    p.site = caller_site(__builtin_return_address(0));
    p.value = static_cast<uint64_t>(how);
    point(p);
  }
  return static_cast<int>(with_errno(ask_socket(fd, {}, [&] { return sys(SYS_shutdown, fd, how); })));
}

HEDDLE_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request == FIONBIO) forget_flags(fd);
  const auto ask = [&] { return sys(SYS_ioctl, fd, request, argument); };
  const size_t size = argument != nullptr ? answer_bytes(request) : 0;
  if (size == 0) return static_cast<int>(with_errno(ask()));
  const iovec filled{argument, size};
  return static_cast<int>(with_errno(ask_socket(fd, {&filled, 1, 1, 0}, ask)));
}
