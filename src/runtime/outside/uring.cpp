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

bool g_ring_is_common;

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

bool has_completions(int ring) {
  pollfd watched{ring, POLLIN, 0};
  const timespec now{0, 0};
  return sys(SYS_ppoll, &watched, 1, &now, nullptr, 8) > 0 && (watched.revents & POLLIN) != 0;
}

// Are so many there? The call may succeed without any where it has just submitted.
long look(int ring, unsigned least) {
  if (!has_completions(ring)) return -ETIME;
  if (least <= 1) return 0;
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

void ring_is_common() { g_ring_is_common = true; }
bool has_common_ring() { return g_ring_is_common; }

long uring_enter(const long* a, void* pc) {
  const int ring = static_cast<int>(a[0]);
  const auto submit = static_cast<unsigned>(a[1]);
  const auto least = static_cast<unsigned>(a[2]);
  const auto flags = static_cast<unsigned>(a[3]);
  if (g_ring_is_common && g_run.control->mode == Mode::kServe)
    end_run(OutcomeKind::kCannotControl, 0, "an io_uring that is set up before the first thread is common to all runs of a search");
  note(kNoSite, "io_uring: what the kernel brings through its rings is not recorded");
  if ((flags & kGetEvents) == 0 || least == 0 || (flags & kRegisteredRing) != 0) {
    return raw_syscall(SYS_io_uring_enter, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  long submitted = 0;
  if (submit != 0) submitted = enter(ring, submit, 0, flags & ~(kGetEvents | kExtendedArgument), nullptr, _NSIG / 8);
  if (submitted < 0) return submitted;
  // Always an event: whether they are there already is the kernel's matter, and differs from run to run.
  const long waited = wait_for(ring, least, limit_of(a), pc);
  return submitted > 0 ? submitted : waited;
}

}  // namespace heddle::rt
