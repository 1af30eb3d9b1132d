// Sockets. A connection between two threads of this process is known as such, so that a wait on it is not taken for one on the outside.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/socket_state.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/peers.h"
#include "runtime/outside/pids.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

struct Address {
  sockaddr_storage name;
  socklen_t length;
  int fd;          // -1: free
  uint64_t inode;  // of the socket, where it matters: descriptors are used again
  // What the program calls it: in a replay the name that the recording saw.
  sockaddr_storage known;
  socklen_t known_length;
};
constexpr uint32_t kMaxAddresses = 128;
HEDDLE_APART Address g_bound[kMaxAddresses];       // listeners and datagram sockets
HEDDLE_APART Address g_connectors[kMaxAddresses];  // connected to a listener of ours, not yet accepted
HEDDLE_APART Address g_senders[kMaxAddresses];     // datagram sockets that sent to one of ours: it may answer
uint32_t g_sender_count;
uint32_t g_bound_count;
uint32_t g_connector_count;

bool own_name(int fd, Address* out) {
  out->fd = fd;
  out->length = sizeof out->name;
  memset(&out->name, 0, sizeof out->name);
  return sys(SYS_getsockname, fd, &out->name, &out->length) == 0;
}

uint16_t port_of(const sockaddr* a) {
  if (a->sa_family == AF_INET) return reinterpret_cast<const sockaddr_in*>(a)->sin_port;
  if (a->sa_family == AF_INET6) return reinterpret_cast<const sockaddr_in6*>(a)->sin6_port;
  return 0;
}

// The same end: a port of this machine (a listener may be bound to any address), or a name in the file system.
bool same_end(const sockaddr* a, socklen_t a_length, const sockaddr* b, socklen_t b_length) {
  const bool internet = (a->sa_family == AF_INET || a->sa_family == AF_INET6) && (b->sa_family == AF_INET || b->sa_family == AF_INET6);
  if (internet) return port_of(a) != 0 && port_of(a) == port_of(b);
  if (a->sa_family != AF_UNIX || b->sa_family != AF_UNIX) return false;
  const auto* pa = reinterpret_cast<const sockaddr_un*>(a);
  const auto* pb = reinterpret_cast<const sockaddr_un*>(b);
  if (pa->sun_path[0] == 0 || pb->sun_path[0] == 0) return a_length == b_length && memcmp(a, b, a_length) == 0;
  return strncmp(pa->sun_path, pb->sun_path, sizeof pa->sun_path) == 0;
}

const sockaddr* name_of(const Address& a) { return reinterpret_cast<const sockaddr*>(&a.name); }

void set_port(sockaddr* a, uint16_t port) {
  if (a->sa_family == AF_INET) reinterpret_cast<sockaddr_in*>(a)->sin_port = port;
  if (a->sa_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(a)->sin6_port = port;
}

const Address* find_known(const Address* table, uint32_t count, const sockaddr* target, socklen_t length) {
  for (uint32_t i = 0; i < count; ++i) {
    if (same_end(reinterpret_cast<const sockaddr*>(&table[i].known), table[i].known_length, target, length)) return &table[i];
  }
  return nullptr;
}
const Address* find_ours(const sockaddr* target, socklen_t length) { return find_known(g_bound, g_bound_count, target, length); }
const Address* find_sender(const sockaddr* target, socklen_t length) { return find_known(g_senders, g_sender_count, target, length); }
bool is_ours(const sockaddr* target, socklen_t length) { return find_ours(target, length) != nullptr; }

// Where a call to a name really goes: in a replay a socket of ours may have got another port than it had in the recording.
class RealTarget {
 public:
  RealTarget(const sockaddr* target, socklen_t length) : target_(target) {
    if (target == nullptr || length > sizeof moved_) return;
    const Address* ours = find_ours(target, length);
    if (ours == nullptr) ours = find_sender(target, length);
    if (ours == nullptr || port_of(target) == port_of(name_of(*ours))) return;
    memcpy(&moved_, target, length);
    set_port(reinterpret_cast<sockaddr*>(&moved_), port_of(name_of(*ours)));
    target_ = reinterpret_cast<const sockaddr*>(&moved_);
  }
  const sockaddr* get() const { return target_; }

 private:
  const sockaddr* target_;
  sockaddr_storage moved_;
};

// The name under which the recording knew it. A port that somebody else has now is replaced by any other.
void learn_known_name(Address* a) {
  a->known = a->name;
  a->known_length = a->length;
  if (!keeps_names() || plays_peers()) return;
  const iovec filled[2] = {{&a->known_length, sizeof a->known_length}, {&a->known, sizeof a->known}};
  long result = 0;
  const bool replays = replays_inputs();
  if (replays && !take_input(kSocketName, {filled, 2, 2, 0}, &result)) return;
  log_input(kSocketName, {filled, 2, 2, 0}, 0);
  if (!replays || port_of(name_of(*a)) != 0 || port_of(reinterpret_cast<const sockaddr*>(&a->known)) == 0) return;
  sockaddr_storage any = a->known;
  set_port(reinterpret_cast<sockaddr*>(&any), 0);
  sys(SYS_bind, a->fd, &any, a->known_length);
  own_name(a->fd, a);
}

bool is_stream(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

// What the answers to a datagram socket are sent to.
void note_sender(int fd) {
  if (!keeps_names() || plays_peers()) return;
  const uint64_t inode = facts_of(fd)->inode;
  for (uint32_t i = 0; i < g_sender_count; ++i) {
    if (g_senders[i].inode == inode) return;
  }
  if (g_sender_count == kMaxAddresses) g_sender_count = 0;
  Address& sender = g_senders[g_sender_count];
  if (!own_name(fd, &sender)) return;
  ++g_sender_count;
  sender.inode = inode;
  learn_known_name(&sender);
}

void connected(int fd, const sockaddr* target, socklen_t length) {
  if (!is_ours(target, length)) return;
  made_inside(fd, fd);
  if (!is_stream(fd)) note_sender(fd);
  if (is_stream(fd) && g_connector_count < kMaxAddresses && own_name(fd, &g_connectors[g_connector_count])) ++g_connector_count;
}

// Both ends of a connection get the name of the end that connected. False: it comes from somebody else.
bool accepted(int fd) {
  sockaddr_storage peer;
  socklen_t length = sizeof peer;
  memset(&peer, 0, sizeof peer);
  if (sys(SYS_getpeername, fd, &peer, &length) != 0) return false;
  const auto* other = reinterpret_cast<const sockaddr*>(&peer);
  for (uint32_t i = 0; i < g_connector_count; ++i) {
    const Address& c = g_connectors[i];
    // Connected Unix sockets have no name of their own: first come, first served, as in the listener's queue.
    const bool unnamed = other->sa_family == AF_UNIX && c.name.ss_family == AF_UNIX;
    if (!unnamed && !same_end(name_of(c), c.length, other, length)) continue;
    made_inside(fd, c.fd);
    for (uint32_t k = i; k + 1 < g_connector_count; ++k) g_connectors[k] = g_connectors[k + 1];
    --g_connector_count;
    return true;
  }
  return false;
}

// Others can send to this socket from now on.
void bound_here(int fd) {
  if (g_run.control->mode == Mode::kOnce) peer_of(fd);  // named now: whether it is first polled or first used is nothing to hang a name on
  if (g_bound_count == kMaxAddresses) g_bound_count = 0;
  if (own_name(fd, &g_bound[g_bound_count])) learn_known_name(&g_bound[g_bound_count++]);
  // In a search nobody outside knows of it; in a plain run it may well be a service.
  if (g_run.control->mode == Mode::kServe && !replays_inputs()) made_inside(fd, fd);
}

long connect_at(int fd, const sockaddr* target, socklen_t length, void* pc) {
  if (is_ours(target, length)) made_inside(fd, fd);
  const RealTarget real(target, length);
  const DescriptorInfo info = describe(fd);
  const long flags = sys(SYS_fcntl, fd, F_GETFL);
  const bool blocking = (flags & O_NONBLOCK) == 0;
  const DescriptorCall call{fd, Op::kConnect, POLLOUT, true, 0, pc};
  const long result = controlled(call, info, [&] {
    if (blocking) sys(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
    const long error = sys(SYS_connect, fd, real.get(), length);
    if (blocking) sys(SYS_fcntl, fd, F_SETFL, flags);
    return error;
  });
  // At once: the other side may accept it before this one goes on.
  if (result == 0 || result == -EINPROGRESS) connected(fd, target, length);
  if (!blocking || (result != -EINPROGRESS && result != -EAGAIN)) return result;
  // A full queue of a Unix listener: try again when somebody has accepted.
  if (result == -EAGAIN) return -EAGAIN;
  const DescriptorCall finish{fd, Op::kConnect, POLLOUT, false, 0, pc};
  return controlled(finish, info, [&]() -> long {
    int error = 0;
    socklen_t size = sizeof error;
    sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return -error;
  });
}

// A connection has the time-outs of its listener: they decide what a wait is.
void inherit_timeouts(int listener, int fd) {
  constexpr int kOptions[2] = {SO_RCVTIMEO, SO_SNDTIMEO};
  for (const int option : kOptions) {
    timeval limit{0, 0};
    socklen_t length = sizeof limit;
    if (sys(SYS_getsockopt, listener, SOL_SOCKET, option, &limit, &length) == 0)
      sys(SYS_setsockopt, fd, SOL_SOCKET, option, &limit, length);
  }
}

// A descriptor of the recorded number for a connection whose other end is not there. A real one that came meanwhile stays; anything else with
// that number is what the replay's shell left open, and was not there when it was recorded.
long placeholder_socket(int listener, int recorded, int flags) {
  struct stat there;
  if (sys(SYS_fstat, recorded, &there) == 0 && S_ISSOCK(there.st_mode)) return recorded;
  const long fd = sys(SYS_socket, AF_UNIX, SOCK_STREAM | (flags & (SOCK_CLOEXEC | SOCK_NONBLOCK)), 0);
  inherit_timeouts(listener, static_cast<int>(fd));
  if (fd < 0 || fd == recorded) return fd;
  sys(SYS_dup3, fd, recorded, (flags & SOCK_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  sys(SYS_close, fd);
  forget_descriptor(recorded);
  return recorded;
}

// A connection of the program with itself is made again by the replay: its real end under the recorded number. -1: it was none.
long own_connection(int listener, int recorded, int flags) {
  long nothing = 0;
  if (describe(listener).reach != Reach::kForeign || !take_input(kOwnConnection, {}, &nothing)) return -1;
  log_input(kOwnConnection, {}, 0);
  pollfd watched{listener, POLLIN, 0};
  const timespec patience{replays_exactly() ? 10 : 0, 0};
  if (sys(SYS_ppoll, &watched, 1, &patience, nullptr, 8) != 1)
    end_run(OutcomeKind::kCannotControl, 0, "a connection of the program with itself came at another time than in the recording");
  const long fd = sys(SYS_accept4, listener, nullptr, nullptr, flags);
  if (fd < 0 || fd == recorded) return fd;
  sys(SYS_dup3, fd, recorded, (flags & SOCK_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  sys(SYS_close, fd);
  forget_descriptor(recorded);
  return recorded;
}

int accept_at(int fd, sockaddr* peer, socklen_t* length, int flags, void* pc) {
  const iovec filled[2] = {{length, length != nullptr ? sizeof *length : 0}, {peer, length != nullptr ? *length : 0}};
  long result = controlled({fd, Op::kAccept, POLLIN, false, 0, pc, {filled, 2, 2, 0}, 0, flags}, describe(fd),
                           [&] { return sys(SYS_accept4, fd, peer, length, flags); });
  const bool replays = replays_inputs() && !plays_peers();
  if (result >= 0 && replays) {
    const long own = own_connection(fd, static_cast<int>(result), flags);
    result = own >= 0 ? own : placeholder_socket(fd, static_cast<int>(result), flags);
  }
  const bool own = result >= 0 && accepted(static_cast<int>(result));
  if (own && !replays_inputs() && keeps_names()) log_input(kOwnConnection, {}, 0);
  return static_cast<int>(with_errno(result));
}

ssize_t receive_at(int fd, void* data, size_t size, int flags, sockaddr* peer, socklen_t* length, void* pc) {
  const DescriptorInfo info = describe(fd);
  DescriptorCall call{fd, Op::kRead, POLLIN, (flags & MSG_DONTWAIT) != 0, size, pc};
  const bool everything = (flags & MSG_WAITALL) != 0 && !call.tries && is_blocking(fd) && is_stream(fd) && (flags & MSG_PEEK) == 0;
  size_t done = 0;
  do {
    const iovec filled[3] = {{length, length != nullptr ? sizeof *length : 0},
                             {peer, peer != nullptr && length != nullptr ? *length : 0},
                             {static_cast<char*>(data) + done, size - done}};
    call.filled = {filled, 3, 2, 1};
    const long n = controlled(call, info, [&](int how) {
      return sys(SYS_recvfrom, fd, static_cast<char*>(data) + done, size - done, (flags & ~MSG_WAITALL) | how, peer, length);
    });
    if (n < 0 && done == 0) return with_errno(n);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  } while (everything && done < size);
  return static_cast<ssize_t>(done);
}

ssize_t send_at(int fd, const void* data, size_t size, int flags, const sockaddr* target, socklen_t length, void* pc) {
  library_reads(data, size, pc);
  // Whoever sends to a socket of this process gets its answers from there.
  if (target != nullptr && describe(fd).reach == Reach::kForeign && is_ours(target, length)) made_inside(fd, fd);
  const DescriptorInfo info = describe(fd);
  DescriptorCall call{fd, Op::kWrite, POLLOUT, (flags & MSG_DONTWAIT) != 0, size, pc};
  call.quiet = (flags & MSG_NOSIGNAL) != 0;
  const bool everything = !call.tries && is_blocking(fd) && is_stream(fd);
  const RealTarget real(target, length);
  size_t done = 0;
  do {
    call.want = size - done;
    const long n = controlled(call, info, [&](int tried) {
      const int how = flags | MSG_NOSIGNAL | (everything ? MSG_DONTWAIT : tried);
      return sys(SYS_sendto, fd, static_cast<const char*>(data) + done, size - done, how, real.get(), length);
    });
    if (n < 0) return done != 0 ? static_cast<ssize_t>(done) : with_errno(n);
    // The log has the answer of the call, and who waits for the datagram is real.
    const bool answers = target != nullptr && info.reach == Reach::kForeign && replays_inputs() && !plays_peers();
    if (answers && find_sender(target, length) != nullptr) sys(SYS_sendto, fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL, real.get(), length);
    if (target != nullptr && info.reach != Reach::kForeign && is_ours(target, length) && !is_stream(fd)) note_sender(fd);
    done += static_cast<size_t>(n);
  } while (everything && done < size);
  return static_cast<ssize_t>(done);
}

}  // namespace

HEDDLE_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  const long result = sys(SYS_socketpair, domain, type, protocol, ends);
  if (result == 0 && active()) {
    made_inside(ends[0], ends[0]);
    made_inside(ends[1], ends[0]);
  }
  return static_cast<int>(with_errno(result));
}

HEDDLE_EXPORT int listen(int fd, int backlog) noexcept {
  const long result = ask_socket(fd, {}, [&] { return sys(SYS_listen, fd, backlog); });
  if (result != 0 || !active()) return static_cast<int>(with_errno(result));
  bound_here(fd);
  return 0;
}

HEDDLE_EXPORT int bind(int fd, const sockaddr* name, socklen_t length) noexcept {
  const long result = ask_socket(fd, {}, [&] { return sys(SYS_bind, fd, name, length); });
  if (result == 0 && active() && !is_stream(fd)) bound_here(fd);
  return static_cast<int>(with_errno(result));
}

HEDDLE_EXPORT int connect(int fd, const sockaddr* target, socklen_t length) {
  if (!active()) return real_io().connect(fd, target, length);
  return static_cast<int>(with_errno(connect_at(fd, target, length, __builtin_return_address(0))));
}

HEDDLE_EXPORT int accept(int fd, sockaddr* peer, socklen_t* length) {
  if (!active()) return real_io().accept(fd, peer, length);
  return accept_at(fd, peer, length, 0, __builtin_return_address(0));
}

HEDDLE_EXPORT int accept4(int fd, sockaddr* peer, socklen_t* length, int flags) {
  if (!active()) return real_io().accept4(fd, peer, length, flags);
  return accept_at(fd, peer, length, flags, __builtin_return_address(0));
}

HEDDLE_EXPORT ssize_t recv(int fd, void* data, size_t size, int flags) {
  if (!active()) return real_io().recv(fd, data, size, flags);
  return receive_at(fd, data, size, flags, nullptr, nullptr, __builtin_return_address(0));
}

HEDDLE_EXPORT ssize_t __recv_chk(int fd, void* data, size_t size, size_t room, int flags) {
  if (size > room) abort();
  if (!active()) return real_io().recv(fd, data, size, flags);
  return receive_at(fd, data, size, flags, nullptr, nullptr, __builtin_return_address(0));
}

HEDDLE_EXPORT ssize_t recvfrom(int fd, void* data, size_t size, int flags, sockaddr* peer, socklen_t* length) {
  if (!active()) return real_io().recvfrom(fd, data, size, flags, peer, length);
  return receive_at(fd, data, size, flags, peer, length, __builtin_return_address(0));
}

HEDDLE_EXPORT ssize_t __recvfrom_chk(int fd, void* data, size_t size, size_t room, int flags, sockaddr* peer, socklen_t* length) {
  if (size > room) abort();
  if (!active()) return real_io().recvfrom(fd, data, size, flags, peer, length);
  return receive_at(fd, data, size, flags, peer, length, __builtin_return_address(0));
}

namespace {

// The credentials of a message name a process.
template <typename Change>
void each_credentials(msghdr* message, Change change) {
  for (cmsghdr* c = CMSG_FIRSTHDR(message); c != nullptr; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) change(reinterpret_cast<ucred*>(CMSG_DATA(c)));
  }
}

long receive_message(int fd, msghdr* message, int flags) {
  const long n = sys(SYS_recvmsg, fd, message, flags & ~MSG_WAITALL);
  if (n >= 0) each_credentials(message, [](ucred* who) { who->pid = seen_pid(who->pid); });
  return n;
}

long receive_message_at(int fd, msghdr* message, int flags, void* pc) {
  // Who sent it, and what came with it, then the bytes themselves.
  constexpr size_t kWhole = 5;
  constexpr size_t kMost = 64;
  iovec filled[kWhole + kMost] = {{message->msg_name, message->msg_name != nullptr ? message->msg_namelen : 0},
                                  {message->msg_control, message->msg_control != nullptr ? message->msg_controllen : 0},
                                  {&message->msg_namelen, sizeof message->msg_namelen},
                                  {&message->msg_controllen, sizeof message->msg_controllen},
                                  {&message->msg_flags, sizeof message->msg_flags}};
  const size_t pieces = message->msg_iovlen < kMost ? message->msg_iovlen : kMost;
  memcpy(filled + kWhole, message->msg_iov, pieces * sizeof(iovec));
  const DescriptorCall call{fd, Op::kRead, POLLIN, (flags & MSG_DONTWAIT) != 0, 0, pc, {filled, kWhole + pieces, kWhole, 1}};
  return controlled(call, describe(fd), [&](int how) { return receive_message(fd, message, flags | how); });
}

}  // namespace

HEDDLE_EXPORT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (!active()) return real_io().recvmsg(fd, message, flags);
  return with_errno(receive_message_at(fd, message, flags, __builtin_return_address(0)));
}

// What is there when the first has come: more are not waited for. Each is a call of its own: of the rooms for messages, which are large, a recording
// then keeps what came, and a run of another schedule gives each message to whoever reads it there.
HEDDLE_EXPORT int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_recvmmsg, fd, messages, count, flags, timeout)));
  flags &= ~MSG_WAITFORONE;
  unsigned done = 0;
  while (done < count) {
    const long n = receive_message_at(fd, &messages[done].msg_hdr, done == 0 ? flags : flags | MSG_DONTWAIT, __builtin_return_address(0));
    if (n < 0 && done == 0) return static_cast<int>(with_errno(n));
    if (n < 0) break;
    messages[done++].msg_len = static_cast<unsigned>(n);
  }
  return static_cast<int>(done);
}

HEDDLE_EXPORT int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_sendmmsg, fd, messages, count, flags)));
  const DescriptorCall call{fd, Op::kWrite, POLLOUT, (flags & MSG_DONTWAIT) != 0, count, __builtin_return_address(0)};
  return static_cast<int>(
      with_errno(controlled(call, describe(fd), [&] { return sys(SYS_sendmmsg, fd, messages, count, flags | MSG_DONTWAIT); })));
}

HEDDLE_EXPORT ssize_t send(int fd, const void* data, size_t size, int flags) {
  if (!active()) return real_io().send(fd, data, size, flags);
  return send_at(fd, data, size, flags, nullptr, 0, __builtin_return_address(0));
}

HEDDLE_EXPORT ssize_t sendto(int fd, const void* data, size_t size, int flags, const sockaddr* target, socklen_t length) {
  if (!active()) return real_io().sendto(fd, data, size, flags, target, length);
  return send_at(fd, data, size, flags, target, length, __builtin_return_address(0));
}

namespace {

// A message with the credentials that the kernel knows; the program's own stays as it is.
class RealCredentials {
 public:
  explicit RealCredentials(const msghdr* message) : message_(message), own_{} {
    if (message == nullptr || message->msg_control == nullptr || message->msg_controllen > sizeof control_) return;
    own_ = *message;
    memcpy(control_, message->msg_control, message->msg_controllen);
    own_.msg_control = control_;
    each_credentials(&own_, [this](ucred* who) {
      who->pid = real_pid(who->pid);
      message_ = &own_;
    });
  }
  const msghdr* message() const { return message_; }
  RealCredentials(const RealCredentials&) = delete;
  RealCredentials& operator=(const RealCredentials&) = delete;

 private:
  const msghdr* message_;
  msghdr own_;
  alignas(cmsghdr) char control_[1024];
};

}  // namespace

HEDDLE_EXPORT ssize_t sendmsg(int fd, const msghdr* given, int flags) {
  const RealCredentials with_numbers(given);
  const msghdr* message = with_numbers.message();
  if (!active()) return real_io().sendmsg(fd, message, flags);
  void* pc = __builtin_return_address(0);
  DescriptorCall call{fd, Op::kWrite, POLLOUT, (flags & MSG_DONTWAIT) != 0, 0, pc};
  call.quiet = (flags & MSG_NOSIGNAL) != 0;
  for (size_t i = 0; i < message->msg_iovlen; ++i) call.want += message->msg_iov[i].iov_len;
  const bool everything = !call.tries && is_blocking(fd) && is_stream(fd);
  const int how = flags | MSG_NOSIGNAL | (everything ? MSG_DONTWAIT : 0);
  const long n = controlled(call, describe(fd), [&](int tried) { return sys(SYS_sendmsg, fd, message, how | tried); });
  if (n < 0 || !everything) return with_errno(n);
  // What did not fit follows piece by piece, as a blocking call would go on.
  auto done = static_cast<size_t>(n);
  size_t passed = 0;
  for (size_t i = 0; i < message->msg_iovlen; ++i) {
    const iovec& piece = message->msg_iov[i];
    if (passed + piece.iov_len > done) {
      const size_t skip = done - passed;
      const ssize_t more = send_at(fd, static_cast<const char*>(piece.iov_base) + skip, piece.iov_len - skip, flags, nullptr, 0, pc);
      if (more < 0) break;
      done += static_cast<size_t>(more);
      if (done < passed + piece.iov_len) break;
    }
    passed += piece.iov_len;
  }
  return static_cast<ssize_t>(done);
}
