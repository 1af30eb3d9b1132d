#pragma once
// What an operation waits for.
#include "wire/ops.h"

namespace heddle::model {

enum class WaitKind : uint8_t {
  kNothing,  // it never blocks; a try fails instead
  kMutex,
  kSpinlock,
  kStream,
  kReadLock,
  kWriteLock,
  kReacquire,
  kSemaphore,
  kBarrier,
  kOnce,
  kGuard,
  kFutex,
  kThread,
  kTime,
  kDescriptors,
  kPause,
  kSignal,
  kDelivery,
  kChild,
};

// Whatever the options of the build: an operation that a list over Op forgets does not compile.
#pragma GCC diagnostic error "-Wswitch"

// The one list of what blocks.
constexpr WaitKind wait_kind_of(Op op) {
  switch (op) {
    case Op::kMutexLock:
    case Op::kMutexTimedLock: return WaitKind::kMutex;
    case Op::kSpinLock: return WaitKind::kSpinlock;
    case Op::kStdioLock: return WaitKind::kStream;
    case Op::kRwReadLock:
    case Op::kRwTimedReadLock: return WaitKind::kReadLock;
    case Op::kRwWriteLock:
    case Op::kRwTimedWriteLock: return WaitKind::kWriteLock;
    case Op::kCondReacquire:
    case Op::kCondTimedReacquire: return WaitKind::kReacquire;
    case Op::kSemWait:
    case Op::kSemTimedWait: return WaitKind::kSemaphore;
    case Op::kBarrierLeave: return WaitKind::kBarrier;
    case Op::kOnceEnter: return WaitKind::kOnce;
    case Op::kGuardEnter: return WaitKind::kGuard;
    case Op::kFutexResume:
    case Op::kFutexTimedResume: return WaitKind::kFutex;
    case Op::kThreadJoin:
    case Op::kThreadTimedJoin: return WaitKind::kThread;
    case Op::kSleep: return WaitKind::kTime;
    case Op::kRead:
    case Op::kWrite:
    case Op::kAccept:
    case Op::kConnect:
    case Op::kPoll:
    case Op::kTimedPoll: return WaitKind::kDescriptors;
    case Op::kPause: return WaitKind::kPause;
    case Op::kSigWait:
    case Op::kSigTimedWait: return WaitKind::kSignal;
    case Op::kSignalDeliver: return WaitKind::kDelivery;
    case Op::kWaitChild: return WaitKind::kChild;
    case Op::kNone:
    case Op::kThreadStart:
    case Op::kThreadExit:
    case Op::kThreadCreate:
    case Op::kThreadTryJoin:
    case Op::kThreadDetach:
    case Op::kThreadCancel:
    case Op::kThreadKill:
    case Op::kMutexInit:
    case Op::kMutexDestroy:
    case Op::kMutexTryLock:
    case Op::kMutexUnlock:
    case Op::kCondWait:
    case Op::kCondTimedWait:
    case Op::kCondSignal:
    case Op::kCondBroadcast:
    case Op::kCondDestroy:
    case Op::kSemTryWait:
    case Op::kSemPost:
    case Op::kRwTryReadLock:
    case Op::kRwTryWriteLock:
    case Op::kRwUnlock:
    case Op::kRwDestroy:
    case Op::kSpinTryLock:
    case Op::kSpinUnlock:
    case Op::kBarrierArrive:
    case Op::kOnceLeave:
    case Op::kGuardLeave:
    case Op::kFutexWait:
    case Op::kFutexWake:
    case Op::kFutexRequeue:
    case Op::kStdioUnlock:
    case Op::kYield:
    case Op::kSignalSend:
    case Op::kClose:
    case Op::kFork:
    case Op::kExec:
    case Op::kExit:
    case Op::kLoad:
    case Op::kStore:
    case Op::kLoadStore:
    case Op::kAtomicLoad:
    case Op::kAtomicStore:
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kFence:
    case Op::kAllocate:
    case Op::kFree:
    case Op::kFunctionEntry:
    case Op::kReleased:
    case Op::kLoopIteration: return WaitKind::kNothing;
  }
  return WaitKind::kNothing;
}

struct WaitKinds {
  WaitKind of[kOpCount];
};
constexpr WaitKinds all_wait_kinds() {
  WaitKinds kinds{};
  for (uint32_t i = 0; i < kOpCount; ++i) kinds.of[i] = wait_kind_of(static_cast<Op>(i));
  return kinds;
}
inline constexpr WaitKinds kWaitKinds = all_wait_kinds();
constexpr WaitKind waits_for(Op op) { return kWaitKinds.of[static_cast<uint16_t>(op)]; }

// The trait says the same: what blocks waits for something.
constexpr bool traits_agree() {
  for (uint32_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (op != Op::kSignalDeliver && has(op, kBlocks) != (waits_for(op) != WaitKind::kNothing)) return false;
  }
  return true;
}
static_assert(traits_agree());

}  // namespace heddle::model
