// poll, select and epoll: enabled when the real call would report something, or when its time-out fires on the virtual clock.
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/peers.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

struct Timeout {
  bool infinite;
  uint64_t nanoseconds;
  bool invalid;
};

Timeout from_ms(int ms) { return {ms < 0, ms < 0 ? 0 : static_cast<uint64_t>(ms) * 1000000, false}; }
Timeout from_timespec(const timespec* t) {
  if (t == nullptr) return {true, 0, false};
  const bool valid = valid_time(t);
  return {false, valid ? deadline_after(t) - g_run.clock : 0, !valid};
}
Timeout from_timeval(const timeval* t) {
  if (t == nullptr) return {true, 0, false};
  const timespec whole{t->tv_sec + t->tv_usec / 1000000, t->tv_usec % 1000000 * 1000};
  const bool valid = t->tv_sec >= 0 && t->tv_usec >= 0;
  return {false, valid ? deadline_after(&whole) - g_run.clock : 0, !valid};
}

// A mask that holds for the length of the call.
class TemporaryMask {
 public:
  explicit TemporaryMask(const sigset_t* set) : set_(set != nullptr), before_(g_current->signals.mask) {
    uint64_t bits = 0;
    if (!set_) return;
    memcpy(&bits, set, sizeof bits);
    set_mask(g_current, bits);
  }
  ~TemporaryMask() {
    if (set_) set_mask(g_current, before_);
  }
  TemporaryMask(const TemporaryMask&) = delete;
  TemporaryMask& operator=(const TemporaryMask&) = delete;

 private:
  bool set_;
  uint64_t before_;
};

template <typename Call>
struct TriedPoll : TriedCall {
  explicit TriedPoll(const Call& given) : TriedCall{try_it, false, 0}, call(given) {}
  static bool try_it(TriedCall& tried) { return (tried.result = static_cast<TriedPoll&>(tried).call()) != 0; }
  long operator()() {
    if (!made) return call();
    made = false;
    return result;
  }
  const Call& call;
};

// `ask` asks the kernel without waiting and returns how many are ready, or -errno. `again`: it may be made in vain, and leaves no trace then.
template <typename Call>
long polled(pollfd* fds, nfds_t count, Timeout timeout, void* pc, const Filled& filled, bool again, const Call& ask) {
  if (timeout.invalid) return -EINVAL;
  TriedPoll<Call> call(ask);
  DescriptorWait wait{fds, count, false, true, again ? &call : nullptr};
  const bool recorded_set = count == 1 && is_epoll_set(fds[0].fd) && records_sets();
  // What a set of the program's own descriptors gives under another schedule is not what was recorded.
  wait.outside = (recorded_set && (!replays_inputs() || replays_exactly() || plays_peers())) || reaches_outside(wait);
  for (nfds_t i = 0; wait.outside && i < count; ++i) used_inherited(fds[i].fd);
  if (wait.outside) disturbed(kLooksOutside);
  const bool tries = !timeout.infinite && timeout.nanoseconds == 0;
  Pending p{};
  p.op = timeout.infinite || tries ? Op::kPoll : Op::kTimedPoll;
  p.address = tries ? nullptr : &wait;
  p.object = count == 1 && fds[0].fd >= 0 ? descriptor_object(describe(fds[0].fd)) : kNoObject;
  p.site = caller_site(pc);
  p.value = count;
  p.deadline = g_run.clock + timeout.nanoseconds;
  p.interrupt = Interrupt::kAlways;
  p.cancels = true;
  if (!tries && wait.outside && !recorded_set && !replays_inputs()) be_patient(wait);
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -EINTR;
    const bool asked = plays_peers();
    const long result = wait.outside && !asked ? input_call(p.op, filled, [&] { return call(); }) : call();
    if (asked ? wait.outside : recorded_set && !wait.outside) log_input(p.op, filled, result);
    if (tries) mark_try(e, result == 0);
    if (tries || result != 0) return result;
    // Somebody else has taken what there was: nothing has come, and its time is not over.
    if (timeout.infinite || g_run.clock < p.deadline) continue;
    e->flags |= kTimedOut | kChoice;
    e->value = kChoiceTimeout;
    return 0;
  }
}

long poll_under_control(pollfd* fds, nfds_t count, Timeout timeout, void* pc) {
  const iovec filled{fds, count * sizeof *fds};
  return polled(fds, count, timeout, pc, {&filled, 1, 1, 0}, true, [&] {
    if (plays_peers()) return poll_peers(fds, count);
    const timespec now{0, 0};
    return sys(SYS_ppoll, fds, count, &now, nullptr, 8);
  });
}

constexpr int kMaxSelect = FD_SETSIZE;

long select_peers(pollfd* watched, nfds_t count, fd_set* const sets[3]) {
  const short kinds[3] = {POLLIN, POLLOUT, POLLPRI};
  poll_peers(watched, count);
  long bits = 0;
  for (int i = 0; i < 3; ++i) {
    if (sets[i] == nullptr) continue;
    FD_ZERO(sets[i]);
    for (nfds_t k = 0; k < count; ++k) {
      if ((watched[k].revents & kinds[i]) == 0) continue;
      FD_SET(watched[k].fd, sets[i]);
      ++bits;
    }
  }
  return bits;
}

long select_under_control(int count, fd_set* reading, fd_set* writing, fd_set* special, Timeout timeout, void* pc) {
  if (count < 0 || count > kMaxSelect) return -EINVAL;
  pollfd watched[kMaxSelect];
  nfds_t used = 0;
  for (int fd = 0; fd < count; ++fd) {
    short events = 0;
    if (reading != nullptr && FD_ISSET(fd, reading)) events |= POLLIN;
    if (writing != nullptr && FD_ISSET(fd, writing)) events |= POLLOUT;
    if (special != nullptr && FD_ISSET(fd, special)) events |= POLLPRI;
    if (events != 0) watched[used++] = {fd, events, 0};
  }
  fd_set asked[3];
  fd_set* sets[3] = {reading, writing, special};
  for (int i = 0; i < 3; ++i) {
    if (sets[i] != nullptr) asked[i] = *sets[i];
  }
  const iovec filled[3] = {{reading, reading != nullptr ? sizeof *reading : 0},
                           {writing, writing != nullptr ? sizeof *writing : 0},
                           {special, special != nullptr ? sizeof *special : 0}};
  return polled(watched, used, timeout, pc, {filled, 3, 3, 0}, false, [&] {
    for (int i = 0; i < 3; ++i) {
      if (sets[i] != nullptr) *sets[i] = asked[i];
    }
    if (plays_peers()) return select_peers(watched, used, sets);
    const timespec now{0, 0};
    return sys(SYS_pselect6, count, reading, writing, special, &now, nullptr);
  });
}

long epoll_under_control(int epoll, epoll_event* events, int room, Timeout timeout, void* pc) {
  pollfd watched{epoll, POLLIN, 0};
  const iovec filled{events, room > 0 ? static_cast<size_t>(room) * sizeof *events : 0};
  return polled(&watched, 1, timeout, pc, {&filled, 1, 0, sizeof *events}, true, [&] {
    return plays_peers() ? wait_for_peers(epoll, events, room) : sys(SYS_epoll_pwait, epoll, events, room, 0, nullptr, 8);
  });
}

}  // namespace

HEDDLE_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  if (!active()) return real_io().poll(fds, count, timeout);
  return static_cast<int>(with_errno(poll_under_control(fds, count, from_ms(timeout), __builtin_return_address(0))));
}

HEDDLE_EXPORT int __poll_chk(pollfd* fds, nfds_t count, int timeout, size_t room) {
  if (room / sizeof *fds < count) abort();
  if (!active()) return real_io().poll(fds, count, timeout);
  return static_cast<int>(with_errno(poll_under_control(fds, count, from_ms(timeout), __builtin_return_address(0))));
}

HEDDLE_EXPORT int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (!active()) return real_io().ppoll(fds, count, timeout, mask);
  TemporaryMask during(mask);
  return static_cast<int>(with_errno(poll_under_control(fds, count, from_timespec(timeout), __builtin_return_address(0))));
}

HEDDLE_EXPORT int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room) {
  if (room / sizeof *fds < count) abort();
  if (!active()) return real_io().ppoll(fds, count, timeout, mask);
  TemporaryMask during(mask);
  return static_cast<int>(with_errno(poll_under_control(fds, count, from_timespec(timeout), __builtin_return_address(0))));
}

HEDDLE_EXPORT int select(int count, fd_set* reading, fd_set* writing, fd_set* special, timeval* timeout) {
  if (!active()) return real_io().select(count, reading, writing, special, timeout);
  const uint64_t start = g_run.clock;
  const Timeout limit = from_timeval(timeout);
  const long result = with_errno(select_under_control(count, reading, writing, special, limit, __builtin_return_address(0)));
  if (timeout != nullptr && !limit.invalid) {
    // Linux leaves what was not slept.
    const uint64_t spent = g_run.clock - start;
    const uint64_t left = spent < limit.nanoseconds ? limit.nanoseconds - spent : 0;
    timeout->tv_sec = static_cast<time_t>(left / 1000000000);
    timeout->tv_usec = static_cast<suseconds_t>(left % 1000000000 / 1000);
  }
  return static_cast<int>(result);
}

HEDDLE_EXPORT int pselect(int count, fd_set* reading, fd_set* writing, fd_set* special, const timespec* timeout, const sigset_t* mask) {
  if (!active()) return real_io().pselect(count, reading, writing, special, timeout, mask);
  TemporaryMask during(mask);
  return static_cast<int>(
      with_errno(select_under_control(count, reading, writing, special, from_timespec(timeout), __builtin_return_address(0))));
}

HEDDLE_EXPORT int epoll_wait(int epoll, epoll_event* events, int room, int timeout) {
  if (!active()) return real_io().epoll_wait(epoll, events, room, timeout);
  return static_cast<int>(with_errno(epoll_under_control(epoll, events, room, from_ms(timeout), __builtin_return_address(0))));
}

HEDDLE_EXPORT int epoll_pwait(int epoll, epoll_event* events, int room, int timeout, const sigset_t* mask) {
  if (!active()) return real_io().epoll_pwait(epoll, events, room, timeout, mask);
  TemporaryMask during(mask);
  return static_cast<int>(with_errno(epoll_under_control(epoll, events, room, from_ms(timeout), __builtin_return_address(0))));
}

HEDDLE_EXPORT int epoll_pwait2(int epoll, epoll_event* events, int room, const timespec* timeout, const sigset_t* mask) {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_epoll_pwait2, epoll, events, room, timeout, mask, 8)));
  TemporaryMask during(mask);
  return static_cast<int>(with_errno(epoll_under_control(epoll, events, room, from_timespec(timeout), __builtin_return_address(0))));
}
