#include "runtime/memory/race_clocks.h"

#include <string.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/watch.h"
#include "runtime/engine/names.h"
#include "runtime/memory/access_ring.h"
#include "runtime/memory/races.h"

namespace heddle::rt {

RaceThread* g_race_threads;
Stamp* g_stamps;

namespace {

// Something threads synchronise by, known by its address or, where it has none, by its name.
struct SyncVariable {
  uint64_t key;
  SyncVariable* next;
  Order order;
  VectorClock readers;  // read-write locks: released by readers, acquired by writers
  uint32_t writer;      // read-write locks: index + 1 of the thread that holds it for writing
};
uint32_t g_stamp_count;
constexpr uint32_t kBuckets = 1 << 16;
HEDDLE_APART SyncVariable* g_sync[kBuckets];

SyncVariable* sync_variable(uint64_t key) {
  SyncVariable** bucket = &g_sync[mix(key, 3) % kBuckets];
  for (SyncVariable* v = *bucket; v != nullptr; v = v->next) {
    if (v->key == key) return v;
  }
  auto* v = static_cast<SyncVariable*>(arena(sizeof(SyncVariable)));
  v->key = key;
  v->next = *bucket;
  *bucket = v;
  return v;
}

SyncVariable* sync_variable(const void* address) { return sync_variable(reinterpret_cast<uint64_t>(address)); }

// Everything read and written through descriptors is taken as one channel: who writes to a pipe does not know its other end. More order
// than there is can hide a race; it cannot invent one.
constexpr uint64_t kAllDescriptors = 1;

void acquire(RaceThread& t, const SyncVariable& v) {
  join(&t.now.full, v.order.full);
  join(&t.now.weak, v.order.weak);
}

void tick(RaceThread& t, uint32_t index) {
  ++t.epoch;
  t.stamp = 0;
  if (index == g_current->index) g_watch.stamp = 0;
  set_entry(&t.now.full, index, t.epoch);
  set_entry(&t.now.weak, index, t.epoch);
}

void release(RaceThread& t, SyncVariable* v, uint32_t index) {
  join(&v->order.full, t.now.full);
  join(&v->order.weak, t.now.weak);
  tick(t, index);
}

void lock(RaceThread& t, const SyncVariable& v) { join(&t.now.full, v.order.full); }

void unlock(RaceThread& t, SyncVariable* v, uint32_t index) {
  assign(&v->order.full, t.now.full);
  tick(t, index);
}

bool acquires(int order) {
  order &= 0xF;
  return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}
bool releases(int order) {
  order &= 0xF;
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

}  // namespace

RaceThread& new_race_thread(uint32_t index) {
  if (g_race_threads == nullptr) g_race_threads = static_cast<RaceThread*>(map_zeroed(sizeof(RaceThread) * kMaxThreads));
  RaceThread& t = g_race_threads[index];
  if (t.epoch == 0) tick(t, index);
  return t;
}

uint32_t new_stamp(RaceThread* t, uint32_t index) {
  if (g_stamps == nullptr) g_stamps = static_cast<Stamp*>(map_zeroed(sizeof(Stamp) * kStampLimit));
  if (g_stamps == nullptr) return 0;
  // Out of stamps: what was accessed before is forgotten. That can hide a race, and cannot invent one.
  if (++g_stamp_count == kStampLimit) {
    forget_all_accesses();
    for (uint32_t i = 0; i < g_thread_count; ++i) g_race_threads[i].stamp = 0;
    g_stamp_count = 1;
  }
  g_stamps[g_stamp_count] = {t->epoch, index};
  return t->stamp = g_stamp_count << kStampShift;
}

// The object that the operation synchronises by is used or destroyed: before the operation orders anything.
static void touch_object(const Pending& p) {
  bool destroys = false;
  switch (p.op) {
    case Op::kMutexDestroy:
    case Op::kCondDestroy:
    case Op::kRwDestroy: destroys = true; break;
    case Op::kMutexLock:
    case Op::kMutexTimedLock:
    case Op::kMutexTryLock:
    case Op::kMutexUnlock:
    case Op::kSpinLock:
    case Op::kSpinTryLock:
    case Op::kSpinUnlock:
    case Op::kCondWait:
    case Op::kCondTimedWait:
    case Op::kCondSignal:
    case Op::kCondBroadcast:
    case Op::kSemWait:
    case Op::kSemPost:
    case Op::kRwReadLock:
    case Op::kRwTimedReadLock:
    case Op::kRwTryReadLock:
    case Op::kRwWriteLock:
    case Op::kRwTimedWriteLock:
    case Op::kRwTryWriteLock:
    case Op::kRwUnlock:
    case Op::kBarrierArrive: break;
    case Op::kNone:
    case Op::kThreadStart:
    case Op::kThreadExit:
    case Op::kThreadCreate:
    case Op::kThreadJoin:
    case Op::kThreadTimedJoin:
    case Op::kThreadTryJoin:
    case Op::kThreadDetach:
    case Op::kThreadCancel:
    case Op::kThreadKill:
    case Op::kMutexInit:
    case Op::kCondReacquire:
    case Op::kCondTimedReacquire:
    case Op::kSemTimedWait:
    case Op::kSemTryWait:
    case Op::kBarrierLeave:
    case Op::kOnceEnter:
    case Op::kOnceLeave:
    case Op::kGuardEnter:
    case Op::kGuardLeave:
    case Op::kFutexWait:
    case Op::kFutexResume:
    case Op::kFutexTimedResume:
    case Op::kFutexWake:
    case Op::kFutexRequeue:
    case Op::kStdioLock:
    case Op::kStdioUnlock:
    case Op::kYield:
    case Op::kSleep:
    case Op::kPause:
    case Op::kSigWait:
    case Op::kSigTimedWait:
    case Op::kSignalDeliver:
    case Op::kSignalSend:
    case Op::kRead:
    case Op::kWrite:
    case Op::kAccept:
    case Op::kConnect:
    case Op::kPoll:
    case Op::kTimedPoll:
    case Op::kClose:
    case Op::kFork:
    case Op::kExec:
    case Op::kWaitChild:
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
    case Op::kLoopIteration: return;
  }
  const void* pc = pc_of(p.site);
  if (p.address != nullptr && pc != nullptr && is_instrumented_code(pc)) race_sync_access(p.address, destroys, pc);
}

void race_event(const ThreadSlot& thread) {
  const Pending& p = thread.pending;
  ring_event(thread);
  if (is_memory(p.op)) return;
  RaceThread& t = race_thread(thread.index);
  if (__builtin_expect(t.ignores_sync, 0) && row(p.op).family != Family::kThreads) return;
  touch_object(p);
  switch (p.op) {
    case Op::kThreadStart:
      if (p.object != kNoObject) acquire(t, *sync_variable(p.object));
      if (thread.carrier.stack_low != nullptr && thread.index != 0) {
        forget_accesses(reinterpret_cast<uintptr_t>(thread.carrier.stack_low),
                        static_cast<size_t>(thread.carrier.stack_high - thread.carrier.stack_low));
      }
      return;
    case Op::kThreadCreate:
    case Op::kThreadExit:
    case Op::kThreadCancel:
    case Op::kThreadKill:
    case Op::kSignalSend: release(t, sync_variable(p.object), thread.index); return;
    case Op::kThreadJoin:
    case Op::kThreadTimedJoin:
    case Op::kThreadTryJoin: acquire(t, *sync_variable(p.object)); return;
    // Sent to this thread, or to the process as a whole.
    case Op::kSignalDeliver:
    case Op::kSigWait:
    case Op::kSigTimedWait:
      acquire(t, *sync_variable(p.object));
      acquire(t, *sync_variable(make_object(ObjectKind::kThread, kMainThread, 0)));
      return;

    case Op::kMutexLock:
    case Op::kMutexTimedLock:
    case Op::kMutexTryLock:
    case Op::kSpinLock:
    case Op::kSpinTryLock:
    case Op::kStdioLock: lock(t, *sync_variable(p.address)); return;
    case Op::kMutexUnlock:
    case Op::kSpinUnlock:
    case Op::kStdioUnlock: unlock(t, sync_variable(p.address), thread.index); return;
    // A condition orders nothing by itself: only its mutex does.
    case Op::kCondWait:
    case Op::kCondTimedWait: unlock(t, sync_variable(p.second), thread.index); return;
    case Op::kCondReacquire:
    case Op::kCondTimedReacquire: lock(t, *sync_variable(p.second)); return;

    case Op::kRwReadLock:
    case Op::kRwTimedReadLock:
    case Op::kRwTryReadLock: lock(t, *sync_variable(p.address)); return;
    case Op::kRwWriteLock:
    case Op::kRwTimedWriteLock:
    case Op::kRwTryWriteLock: {
      SyncVariable* v = sync_variable(p.address);
      lock(t, *v);
      join(&t.now.full, v->readers);
      v->writer = thread.index + 1;
      return;
    }
    case Op::kRwUnlock: {
      SyncVariable* v = sync_variable(p.address);
      if (v->writer == thread.index + 1) {
        v->writer = 0;
        clear(&v->readers);
        unlock(t, v, thread.index);
      } else {
        join(&v->readers, t.now.full);
        tick(t, thread.index);
      }
      return;
    }

    case Op::kRead:
    case Op::kAccept:
    case Op::kPoll:
    case Op::kTimedPoll:
    case Op::kWaitChild: acquire(t, *sync_variable(kAllDescriptors)); return;
    case Op::kWrite:
    case Op::kConnect:
    case Op::kClose: release(t, sync_variable(kAllDescriptors), thread.index); return;
    case Op::kNone:
    case Op::kThreadDetach:
    case Op::kMutexInit:
    case Op::kMutexDestroy:
    case Op::kCondSignal:
    case Op::kCondBroadcast:
    case Op::kCondDestroy:
    case Op::kSemWait:
    case Op::kSemTimedWait:
    case Op::kSemTryWait:
    case Op::kSemPost:
    case Op::kRwDestroy:
    case Op::kBarrierArrive:
    case Op::kBarrierLeave:
    case Op::kOnceEnter:
    case Op::kOnceLeave:
    case Op::kGuardEnter:
    case Op::kGuardLeave:
    case Op::kFutexWait:
    case Op::kFutexResume:
    case Op::kFutexTimedResume:
    case Op::kFutexWake:
    case Op::kFutexRequeue:
    case Op::kYield:
    case Op::kSleep:
    case Op::kPause:
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
    case Op::kLoopIteration: break;
  }
  // Semaphores, barriers, once, initialisation guards, futexes: as their rows say.
  if (p.address == nullptr) return;
  if (p.op == Op::kGuardLeave) ring_guard(p.address);
  if (has(p.op, kAcquires)) acquire(t, *sync_variable(p.address));
  if (has(p.op, kReleases)) release(t, sync_variable(p.address), thread.index);
}

void atomic_acquires(const AtomicDone& done) {
  RaceThread& t = race_thread(g_current->index);
  if (t.ignores_sync) return;
  if (done.op == Op::kFence) {
    if (!acquires(done.order)) return;
    join(&t.now.full, t.pending_acquire.full);
    join(&t.now.weak, t.pending_acquire.weak);
    return;
  }
  if (done.op == Op::kAtomicStore) return;
  const SyncVariable* v = sync_variable(done.address);
  if (acquires(done.order)) {
    acquire(t, *v);
  } else {
    join(&t.pending_acquire.full, v->order.full);
    join(&t.pending_acquire.weak, v->order.weak);
  }
}

void atomic_releases(const AtomicDone& done) {
  const uint32_t index = g_current->index;
  RaceThread& t = race_thread(index);
  if (t.ignores_sync) return;
  if (done.op == Op::kFence) {
    if (!releases(done.order)) return;
    assign(&t.fence_release.full, t.now.full);
    assign(&t.fence_release.weak, t.now.weak);
    t.fenced = true;
    tick(t, index);
    return;
  }
  if (done.op == Op::kAtomicLoad || done.failed) return;
  SyncVariable* v = sync_variable(done.address);
  // A store begins a new release sequence; a read-modify-write goes on with the present one.
  if (done.op == Op::kAtomicStore) {
    clear(&v->order.full);
    clear(&v->order.weak);
  }
  if (releases(done.order)) {
    release(t, v, index);
  } else if (t.fenced) {
    join(&v->order.full, t.fence_release.full);
    join(&v->order.weak, t.fence_release.weak);
  }
}

void annotated(const void* address, Annotation what) {
  RaceThread& t = race_thread(g_current->index);
  SyncVariable* v = sync_variable(address);
  switch (what) {
    case Annotation::kReadAcquire: acquire(t, *v); return;
    case Annotation::kAcquire:
      acquire(t, *v);
      join(&t.now.full, v->readers);
      join(&t.now.weak, v->readers);
      return;
    case Annotation::kRelease: release(t, v, g_current->index); return;
    case Annotation::kReadRelease:
      join(&v->readers, t.now.full);
      tick(t, g_current->index);
      return;
  }
}

void race_ignores(int ignored, int more) {
  RaceThread& t = race_thread(g_current->index);
  for (int i = 0; i < 3; ++i) {
    if ((ignored >> i & 1) == 0) continue;
    uint32_t& count = t.ignore_counts[i];
    if (more > 0 || count > 0) count = static_cast<uint32_t>(static_cast<int>(count) + more);
  }
  t.ignores_reads = t.ignore_counts[0] != 0;
  t.ignores_writes = t.ignore_counts[1] != 0;
  t.ignores_sync = t.ignore_counts[2] != 0;
}

void order_sections(RaceThread* t, ContextId other) {
  const ThreadSlot& me = *g_current;
  const uint32_t count = me.held.count < kMaxHeld ? me.held.count : kMaxHeld;
  for (uint32_t i = 0; i < count; ++i) {
    const void* lock = me.held.locks[i].address;
    if (!holds_lock(other, object_of(lock))) continue;
    const SyncVariable& v = *sync_variable(lock);
    join(&t->now.weak, v.order.full);
    join(&t->now.weak, v.readers);
  }
}

}  // namespace heddle::rt
