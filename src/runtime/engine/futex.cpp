#include "runtime/engine/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/strange_threads.h"

namespace heddle::rt {

namespace {

long futex_wait(uint32_t* address, uint32_t expected, bool shared, bool timed, uint64_t deadline, uint32_t bits, void* pc) {
  ThreadSlot* me = g_current;
  Pending p{};
  p.op = Op::kFutexWait;
  p.flags = shared ? kShared : 0;
  p.address = address;
  p.object = object_of(address);
  p.site = caller_site(pc);
  p.value = expected;
  Event* e = point(p);
  if (__atomic_load_n(address, __ATOMIC_SEQ_CST) != expected) {
    e->flags |= kFailed;
    return -EAGAIN;
  }
  // A thread that is not under control changes the word, and wakes whom the kernel knows.
  if (had_strange_thread()) e->flags |= kShared;
  me->wait.on = address;
  me->wait.ended = false;
  me->wait.futex_bits = bits;
  me->wait.order = ++g_run.wait_order;
  p.op = timed ? Op::kFutexTimedResume : Op::kFutexResume;
  p.deadline = deadline;
  if (shared || had_strange_thread()) p.second = address;
  e = point(p);
  me->wait.on = nullptr;
  if (me->wait.ended || ((shared || had_strange_thread()) && __atomic_load_n(address, __ATOMIC_SEQ_CST) != expected)) return 0;
  e->flags |= kTimedOut | kChoice;
  e->value = kChoiceTimeout;
  return -ETIMEDOUT;
}

uint32_t futex_wake(uint32_t* address, uint32_t count, uint32_t bits, Event* e) {
  if (bits == FUTEX_BITSET_MATCH_ANY) {
    e->value = count;
    return wake(address, count, count == 1 ? e : nullptr);
  }
  uint32_t woken = 0;
  for (uint32_t i = 0; i < g_live_count && woken < count; ++i) {
    ThreadSlot& t = g_threads[g_live[i].slot];
    if (t.wait.on != address || t.wait.ended || (t.wait.futex_bits & bits) == 0) continue;
    t.wait.ended = true;
    ++woken;
  }
  return woken;
}

// Moves up to `count` waiters to another futex without waking them.
uint32_t futex_requeue(const uint32_t* from, uint32_t* to, uint32_t count) {
  uint32_t moved = 0;
  for (uint32_t i = 0; i < g_live_count && moved < count; ++i) {
    ThreadSlot& t = g_threads[g_live[i].slot];
    if (t.wait.on != from || t.wait.ended) continue;
    t.wait.on = to;
    ++moved;
  }
  return moved;
}

bool wake_op_holds(uint32_t* address, uint32_t encoded) {
  const uint32_t operation = (encoded >> 28) & 7;
  uint32_t argument = (encoded >> 12) & 0xFFF;
  if ((encoded >> 31) != 0) argument = 1u << argument;
  const uint32_t comparison = (encoded >> 24) & 15;
  const uint32_t against = encoded & 0xFFF;
  const uint32_t old = *address;
  switch (operation) {
    case FUTEX_OP_SET: *address = argument; break;
    case FUTEX_OP_ADD: *address = old + argument; break;
    case FUTEX_OP_OR: *address = old | argument; break;
    case FUTEX_OP_ANDN: *address = old & ~argument; break;
    case FUTEX_OP_XOR: *address = old ^ argument; break;
    default: break;
  }
  const auto signed_old = static_cast<int32_t>(old);
  const auto signed_against = static_cast<int32_t>(against);
  switch (comparison) {
    case FUTEX_OP_CMP_EQ: return old == against;
    case FUTEX_OP_CMP_NE: return old != against;
    case FUTEX_OP_CMP_LT: return signed_old < signed_against;
    case FUTEX_OP_CMP_LE: return signed_old <= signed_against;
    case FUTEX_OP_CMP_GT: return signed_old > signed_against;
    case FUTEX_OP_CMP_GE: return signed_old >= signed_against;
    default: return false;
  }
}

}  // namespace

long model_futex(uint32_t* address, int operation, uint32_t value, const timespec* timeout, uint32_t* second, uint32_t value3, void* pc) {
  const int command = operation & FUTEX_CMD_MASK;
  const bool shared = (operation & FUTEX_PRIVATE_FLAG) == 0;
  const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  // For requeues and wake-op the time-out's place carries a count.
  const auto count2 = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(timeout));
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
  if (waits && timeout != nullptr && !valid_time(timeout)) return -EINVAL;
  if ((command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET) && value3 == 0) return -EINVAL;
  switch (command) {
    case FUTEX_WAIT:
      return futex_wait(address, value, shared, timeout != nullptr, timeout != nullptr ? deadline_after(timeout) : 0,
                        FUTEX_BITSET_MATCH_ANY, pc);
    case FUTEX_WAIT_BITSET:
      return futex_wait(address, value, shared, timeout != nullptr, timeout != nullptr ? deadline_at(clock, timeout) : 0, value3, pc);
    case FUTEX_WAKE: {
      const uint32_t woken = futex_wake(address, value, FUTEX_BITSET_MATCH_ANY, point(Op::kFutexWake, address, pc));
      // Those of other processes, and those that are not under control, wait in the kernel.
      const bool asks = (shared || had_strange_thread()) && woken < value;
      const long others = asks ? sys(SYS_futex, address, FUTEX_WAKE | (operation & FUTEX_PRIVATE_FLAG), value - woken) : 0;
      return woken + (others > 0 ? others : 0);
    }
    case FUTEX_WAKE_BITSET: return futex_wake(address, value, value3, point(Op::kFutexWake, address, pc));
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE: {
      point(Op::kFutexRequeue, address, pc);
      if (command == FUTEX_CMP_REQUEUE && *address != value3) return -EAGAIN;
      const uint32_t woken = wake(address, value, nullptr);
      return woken + futex_requeue(address, second, count2);
    }
    case FUTEX_WAKE_OP: {
      point(Op::kFutexWake, address, pc);
      const bool both = wake_op_holds(second, value3);
      uint32_t woken = wake(address, value, nullptr);
      if (both) woken += wake(second, count2, nullptr);
      return woken;
    }
    default: return kFutexUnknown;
  }
}

}  // namespace heddle::rt
