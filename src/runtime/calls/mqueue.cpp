// POSIX message queues: a queue's descriptor can be polled, so that a call waits at its point until the real one would not block.
#include <errno.h>
#include <mqueue.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/outside/descriptor_call.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// `call` tries once and returns -errno; a queue that is full or empty says -ETIMEDOUT at a time-out that has passed, or -EAGAIN.
template <typename Call>
long queue_call(int fd, Op op, short events, const timespec* limit, void* pc, Call call) {
  if (limit != nullptr && !valid_time(limit)) return -EINVAL;
  pollfd watched{fd, events, 0};
  DescriptorWait wait{&watched, 1, false};
  const bool waits = is_blocking(fd);
  const bool timed = waits && limit != nullptr;
  Pending p{};
  p.op = timed ? Op::kTimedPoll : op;
  p.object = name_descriptor(fd);
  p.site = caller_site(pc);
  p.address = waits ? &wait : nullptr;
  p.deadline = timed ? deadline_at(CLOCK_REALTIME, limit) : 0;
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  if (waits && child_may_end(wait)) be_patient(wait);
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -EINTR;
    const long result = call();
    const bool not_now = result == -ETIMEDOUT || result == -EAGAIN;
    if (!waits) mark_try(e, not_now);
    if (!not_now) return result;
    if (!waits) return -EAGAIN;
    if (!timed) continue;
    e->flags |= kTimedOut | kChoice;
    e->value = kChoiceTimeout;
    return -ETIMEDOUT;
  }
}

const timespec kPast{0, 0};

int send_message(mqd_t queue, const char* data, size_t size, unsigned priority, const timespec* limit, void* pc) {
  if (!active())
    return static_cast<int>(
        with_errno(sys(SYS_mq_timedsend, queue, data, size, priority, static_cast<const timespec*>(RealTime(CLOCK_REALTIME, limit)))));
  return static_cast<int>(with_errno(
      queue_call(queue, Op::kWrite, POLLOUT, limit, pc, [&] { return sys(SYS_mq_timedsend, queue, data, size, priority, &kPast); })));
}

ssize_t receive_message(mqd_t queue, char* data, size_t size, unsigned* priority, const timespec* limit, void* pc) {
  if (!active())
    return with_errno(sys(SYS_mq_timedreceive, queue, data, size, priority, static_cast<const timespec*>(RealTime(CLOCK_REALTIME, limit))));
  return with_errno(
      queue_call(queue, Op::kRead, POLLIN, limit, pc, [&] { return sys(SYS_mq_timedreceive, queue, data, size, priority, &kPast); }));
}

}  // namespace

HEDDLE_EXPORT int mq_send(mqd_t queue, const char* data, size_t size, unsigned priority) {
  return send_message(queue, data, size, priority, nullptr, __builtin_return_address(0));
}
HEDDLE_EXPORT int mq_timedsend(mqd_t queue, const char* data, size_t size, unsigned priority, const timespec* limit) {
  return send_message(queue, data, size, priority, limit, __builtin_return_address(0));
}
HEDDLE_EXPORT ssize_t mq_receive(mqd_t queue, char* data, size_t size, unsigned* priority) {
  return receive_message(queue, data, size, priority, nullptr, __builtin_return_address(0));
}
HEDDLE_EXPORT ssize_t mq_timedreceive(mqd_t queue, char* data, size_t size, unsigned* priority, const timespec* limit) {
  return receive_message(queue, data, size, priority, limit, __builtin_return_address(0));
}

HEDDLE_EXPORT int mq_setattr(mqd_t queue, const mq_attr* wanted, mq_attr* before) noexcept {
  static decltype(&::mq_setattr) library;
  if (library == nullptr) library = next_symbol<decltype(&::mq_setattr)>("mq_setattr");
  forget_flags(queue);
  return library(queue, wanted, before);
}

HEDDLE_EXPORT int mq_close(mqd_t queue) noexcept {
  forget_descriptor(queue);
  return static_cast<int>(with_errno(sys(SYS_close, queue)));
}

// A notification by a call comes from inside of the C library, on a thread of its own, whose calls nobody would see.
HEDDLE_EXPORT int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  static decltype(&::mq_notify) library;
  if (library == nullptr) library = next_symbol<decltype(&::mq_notify)>("mq_notify");
  if (active() && event != nullptr && event->sigev_notify == SIGEV_THREAD)
    end_run(OutcomeKind::kCannotControl, 0, "mq_notify with SIGEV_THREAD has the C library make a thread, which is not under control");
  if (active()) note(caller_site(__builtin_return_address(0)), "mq_notify: the notification is not controlled");
  return library(queue, event);
}
