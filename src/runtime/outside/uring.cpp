#include "runtime/outside/uring.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/input_log.h"

namespace heddle::rt {

namespace {

// linux/io_uring.h, which older headers lack in part.
constexpr unsigned kGetEvents = 1, kExtendedArgument = 8, kRegisteredRing = 16;
struct ExtendedArgument {
  uint64_t mask;
  uint32_t mask_size;
  uint32_t pad;
  uint64_t time;
};

long enter(int ring, unsigned submit, unsigned least, unsigned flags, const void* argument, size_t size) {
  return sys(SYS_io_uring_enter, ring, submit, least, flags, argument, size);
}

// Are so many there?
long look(int ring, unsigned least) {
  const timespec now{0, 0};
  const ExtendedArgument argument{0, _NSIG / 8, 0, reinterpret_cast<uint64_t>(&now)};
  return enter(ring, 0, least, kGetEvents | kExtendedArgument, &argument, sizeof argument);
}

const timespec* limit_of(const long* a) {
  if ((static_cast<unsigned>(a[3]) & kExtendedArgument) == 0 || a[4] == 0) return nullptr;
  return reinterpret_cast<const timespec*>(reinterpret_cast<const ExtendedArgument*>(a[4])->time);
}

// The recording says that they had come; they come again, and the kernel is as fast as it is.
bool take_recorded(Op op, int ring, unsigned least, long* result) {
  if (!replays_inputs() || !take_input(op, {}, result)) return false;
  if (*result >= 0) enter(ring, 0, least, kGetEvents, nullptr, _NSIG / 8);
  return true;
}

long wait_for(int ring, unsigned least, const timespec* limit, void* pc) {
  pollfd watched{ring, POLLIN, 0};
  const DescriptorWait wait{&watched, 1, true};
  Pending p{};
  p.op = limit != nullptr ? Op::kTimedPoll : Op::kPoll;
  p.address = &wait;
  p.object = name_descriptor(ring);
  p.site = caller_site(pc);
  p.value = 1;
  p.deadline = limit != nullptr ? deadline_after(limit) : 0;
  p.interrupt = Interrupt::kAlways;
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -EINTR;
    long result = 0;
    if (!take_recorded(p.op, ring, least, &result)) result = look(ring, least);
    log_input(p.op, {}, result);
    if (result != -ETIME) return result;
    if (limit == nullptr) continue;
    e->flags |= kTimedOut | kChoice;
    e->value = kChoiceTimeout;
    if (g_run.clock >= p.deadline) return -ETIME;
  }
}

}  // namespace

long uring_enter(const long* a, void* pc) {
  const int ring = static_cast<int>(a[0]);
  const auto submit = static_cast<unsigned>(a[1]);
  const auto least = static_cast<unsigned>(a[2]);
  const auto flags = static_cast<unsigned>(a[3]);
  note(kNoSite, "io_uring: what the kernel brings through its rings is not recorded");
  if ((flags & kGetEvents) == 0 || least == 0 || (flags & kRegisteredRing) != 0) {
    return raw_syscall(SYS_io_uring_enter, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  long submitted = 0;
  if (submit != 0) submitted = enter(ring, submit, 0, flags & ~(kGetEvents | kExtendedArgument), nullptr, _NSIG / 8);
  if (submitted < 0) return submitted;
  const long waited = look(ring, least) >= 0 ? 0 : wait_for(ring, least, limit_of(a), pc);
  return submitted > 0 ? submitted : waited;
}

}  // namespace heddle::rt
