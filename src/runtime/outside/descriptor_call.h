#pragma once
// A call on a descriptor, under control: a point before it, at which it waits until the real call would not block.
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/engine/names.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/library_access.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/descriptors.h"
#include "runtime/outside/external_wait.h"
#include "runtime/outside/input_log.h"
#include "runtime/outside/kernel_files.h"
#include "runtime/outside/signals.h"

namespace heddle::rt {

struct DescriptorCall {
  int fd;
  Op op;
  short events;  // what poll must report
  bool tries;    // the call says itself that it does not wait (MSG_DONTWAIT)
  uint64_t value;
  void* pc;
  Filled filled = {nullptr, 0, 0, 1};  // what the call writes: input, where it comes from outside
  uint64_t want = 0;                   // bytes that a write would write; 0: as many as `value` says
  int flags = 0;                       // of the descriptor that an accept makes
  bool quiet = false;                  // a write that fails sends no SIGPIPE
};

inline Reaching reaching_of(const DescriptorCall& c, bool waits) {
  PeerCall call = PeerCall::kConnect;
  if (c.op == Op::kRead) call = PeerCall::kRead;
  if (c.op == Op::kWrite) call = PeerCall::kWrite;
  if (c.op == Op::kAccept) call = PeerCall::kAccept;
  return {c.fd, call, waits, c.want != 0 ? c.want : c.value, c.flags};
}

// Does a call of this kind stand at a point? Reads of standard input always do: a trace must not depend on what it was redirected from.
// Writes to inherited streams never do: whether somebody reads the output is not the program's matter.
inline bool is_controlled(const DescriptorCall& c, const DescriptorInfo& info) {
  if (info.reach == Reach::kPlain) return c.fd == 0 && c.op == Op::kRead;
  return !(c.op == Op::kWrite && info.reach == Reach::kForeign && info.stream);
}

// A call that takes whether it is to wait can be tried: on a socket, by MSG_DONTWAIT.
template <typename Call>
struct TriedSocketCall : TriedCall {
  explicit TriedSocketCall(Call& given) : TriedCall{try_it, false, 0}, call(given) {}
  static constexpr bool kCanBeTried = requires(Call & c) { c(0); };
  static bool try_it(TriedCall& tried) {
    if constexpr (kCanBeTried) tried.result = static_cast<TriedSocketCall&>(tried).call(MSG_DONTWAIT);
    return kCanBeTried && tried.result != -EAGAIN;
  }
  long operator()() {
    if (made) {
      made = false;
      return result;
    }
    if constexpr (kCanBeTried) {
      return call(0);
    } else {
      return call();
    }
  }
  Call& call;
};

// `given` performs the raw system call and returns -errno on failure. Returns what it returns.
template <typename Call>
long controlled_call(const DescriptorCall& c, const DescriptorInfo& info, Call given) {
  TriedSocketCall<Call> call(given);
  const auto really = [&] { return call(); };
  if (!is_controlled(c, info)) {
    test_cancel(c.pc);
    if (c.op == Op::kRead && info.reach == Reach::kPlain && reads_input(c.fd)) return read_as_input(c.fd, c.filled, true, really);
    return call();
  }
  pollfd watched{c.fd, c.events, 0};
  // Standard input that was a terminal when it was recorded is an empty file in the replay.
  const bool typed = info.reach == Reach::kPlain && replays_inputs() && has_recorded(Op::kRead, {c.fd, PeerCall::kRead});
  const bool input =
      typed || (info.reach != Reach::kPlain && is_input(c.fd, info) && (c.op != Op::kWrite || info.reach == Reach::kForeign));
  if (input) used_inherited(c.fd);
  if (input || info.reach == Reach::kShared || info.reach == Reach::kForeign) disturbed(kLooksOutside);
  DescriptorWait wait{&watched, 1, input, false, TriedSocketCall<Call>::kCanBeTried && info.socket ? &call : nullptr};
  const bool waits = info.reach != Reach::kPlain && !c.tries && is_blocking(c.fd);
  const Reaching reaching = reaching_of(c, waits);
  Pending p{};
  p.op = c.op;
  p.object = descriptor_object(info);
  p.site = caller_site(c.pc);
  p.value = c.value;
  p.address = waits ? &wait : nullptr;
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  // A try on an inherited stream too: how fast somebody fills standard input must not decide.
  const bool outside = info.reach == Reach::kShared || info.reach == Reach::kForeign;
  if (outside && (waits || info.stream) && (info.reach == Reach::kShared || !replays_inputs())) be_patient(wait);
  if (waits && info.reach == Reach::kInside && !info.socket && !info.stream && child_may_end(wait)) be_patient(wait);
  const uint64_t timeout = waits && info.socket ? socket_timeout(c.fd, c.events == POLLOUT) : 0;
  if (timeout != 0) {
    p.op = Op::kTimedPoll;
    p.deadline = g_run.clock + timeout;
  }
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -EINTR;
    if (timeout != 0 && !call.made && !wait_over(*g_current, wait)) {
      if (g_run.clock < p.deadline) {  // somebody else has taken what there was
        g_current->ready_since = g_run.step;
        if (input) log_input(p.op, {}, -EAGAIN, reaching);
        continue;
      }
      e->flags |= kTimedOut | kChoice;
      e->value = kChoiceTimeout;
      if (input) log_input(p.op, {}, -EAGAIN, reaching);
      return -EAGAIN;
    }
    // A child that lives in the replay too must get rid of what it writes.
    if (input && replays_inputs() && info.reach == Reach::kShared && descriptors_ready(wait)) call();
    const long result = input ? input_call(p.op, c.filled, really, reaching) : call();
    if (result == -EPIPE && info.socket && !c.quiet) broken_pipe();
    const bool fails = result == -EAGAIN;
    if (!waits) mark_try(e, fails);
    if (!fails || !waits) return result;
  }
}

// The same, and the detector of races gets to know what is accessed.
template <typename Call>
long controlled(const DescriptorCall& c, const DescriptorInfo& info, Call call) {
  descriptor_used(c.fd, c.pc);
  const long result = controlled_call(c, info, call);
  if (__builtin_expect(result == -EBADF, 0)) forget_descriptor(c.fd);
  if (c.filled.unit == 1) library_writes_pieces(c.filled.pieces, c.filled.count, result, c.pc);
  return result;
}

// A write that goes on until everything is written, as a blocking one does.
long controlled_write(int fd, const char* data, size_t size, void* pc);
// The same, and the detector of races does not get to know what was read.
long write_under_control(int fd, const char* data, size_t size, void* pc);

}  // namespace heddle::rt
