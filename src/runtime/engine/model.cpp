// glibc's own lock words are the state: the real calls keep them, static initialisers need no registration, and a lock taken where we
// do not look is still seen (docs/decisions).
#include "runtime/engine/model.h"

#include <pthread.h>
#include <semaphore.h>

#include "model/machine.h"
#include "runtime/base/once.h"
#include "runtime/base/placement.h"
#include "runtime/engine/run.h"
#include "runtime/engine/stdio_lock.h"
#include "runtime/engine/upward.h"
#include "runtime/engine/waits.h"

namespace heddle::rt {

uint64_t g_descriptor_news = 1;
uint64_t g_nobody_ready;
const volatile int g_open_gate = 0;
const volatile int g_asking_gate = 1;

namespace {

constexpr int kOwnerDied = 0x40000000;
constexpr int kTidMask = 0x3FFFFFFF;

// The ceiling of a mutex that protects priorities stands in the upper bits of its word, whether it is locked or not.
constexpr int kCeilingMask = static_cast<int>(0xFFF80000);

int lock_word(const pthread_mutex_t* m) {
  const int word = *const_cast<const volatile int*>(&m->__data.__lock);
  return (m->__data.__kind & kProtectBit) != 0 ? word & ~kCeilingMask : word;
}
// The tid that holds it; 0: nobody. Robust ones and those that inherit priority have it in the word, where it stays while the owner's field
// says that the state is inconsistent.
int owner_of(const pthread_mutex_t* m) {
  const int word = lock_word(m);
  if (word == 0) return 0;
  if ((m->__data.__kind & (kRobustBit | kInheritBit)) != 0) return word & kTidMask;
  return *const_cast<const volatile int*>(&m->__data.__owner);
}

int sem_value(const void* address) {
  int value = 0;
  sem_getvalue(static_cast<sem_t*>(const_cast<void*>(address)), &value);
  return value;
}

// Locks whose memory does not say who holds them: another thread's record of what it took does.
ThreadSlot* holder_by_record(const ThreadSlot& t) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot& other = g_threads[g_live[i].slot];
    if (held_site(&other, t.pending.address) != kNoSite) return &other;
  }
  return nullptr;
}

HEDDLE_APART uint64_t g_seen_unready[kMaxThreads];  // when each thread's descriptors were last asked in vain

// The kernel is asked only where something can have changed since it was asked before.
bool may_proceed(const ThreadSlot& t, const DescriptorWait& wait) {
  if (wait.outside) return kUpward.wait_over(t, wait);
  if (&t != g_current && g_seen_unready[t.index] == g_descriptor_news) return false;
  if (kUpward.descriptors_ready(wait)) return true;
  g_seen_unready[t.index] = g_descriptor_news;
  return false;
}

// Waits whose object is made for several processes (Pending::second): another one may have ended them.
bool passed_outside(const ThreadSlot& t) {
  const auto* barrier = static_cast<const volatile BarrierWords*>(t.pending.second);
  return barrier != nullptr && static_cast<int>(barrier->current - t.wait.arrival) >= 0;
}
bool changed_outside(const Pending& p) {
  const auto* word = static_cast<const volatile uint32_t*>(p.second);
  return word != nullptr && *word != static_cast<uint32_t>(p.value);
}

model::LockFacts facts_of(const pthread_mutex_t* m, const ThreadSlot& t) {
  const int word = lock_word(m);
  const int type = m->__data.__kind & kMutexTypeMask;
  const bool reenters = type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
  return {word != 0, reenters && owner_of(m) == t.tid, reenters, (m->__data.__kind & kRobustBit) != 0 && (word & kOwnerDied) != 0};
}

model::RwlockFacts facts_of(const pthread_rwlock_t* l, const ThreadSlot& t) {
  return {!rwlock_readable(l), rwlock_written_by(l, t), rwlock_readable(l) && !rwlock_writable(l)};
}

ThreadSlot* owner_slot(const void* mutex) {
  const int owner = owner_of(static_cast<const pthread_mutex_t*>(mutex));
  return owner != 0 ? slot_of_tid(owner) : nullptr;
}

// The target's backing of the machine: glibc's own words, the kernel, and the waits that the runtime keeps itself.
struct Words {
  using Asker = ThreadSlot;
  template <typename Object>
  static const Object* at(const Asker& t) {
    return static_cast<const Object*>(t.pending.address);
  }

  model::LockFacts mutex(const Asker& t) const { return facts_of(at<pthread_mutex_t>(t), t); }
  model::LockFacts wait_mutex(const Asker& t) const { return facts_of(static_cast<const pthread_mutex_t*>(t.pending.second), t); }
  Ready stream_free(const Asker& t) const { return model::when(stream_free_for(at<FILE>(t), t)); }
  // A free glibc spinlock is 1.
  bool spin_taken(const Asker& t) const { return *at<volatile int>(t) != 1; }
  model::RwlockFacts rwlock(const Asker& t) const { return facts_of(at<pthread_rwlock_t>(t), t); }
  model::SemaphoreFacts semaphore(const Asker& t) const { return {sem_value(t.pending.address) > 0, true}; }
  Ready woken(const Asker& t) const { return model::when(t.wait.ended); }
  Ready round_complete(const Asker& t) const { return model::when(t.wait.ended || passed_outside(t)); }
  Ready futex_woken(const Asker& t) const { return model::when(t.wait.ended || changed_outside(t.pending)); }
  bool runs_once(const Asker& t) const { return *at<volatile int>(t) == kOnceBusy; }
  bool runs_guarded(const Asker& t) const { return at<volatile char>(t)[0] == 0 && at<volatile char>(t)[1] != 0; }
  Ready finished(const Asker& t) const {
    const auto* joined = at<ThreadSlot>(t);
    return model::when(joined == nullptr || joined->life == Life::kFinished || joined->life == Life::kRemoved ||
                       joined->life == Life::kReaped);
  }
  bool due(const Asker& t) const { return g_run.clock >= t.pending.deadline; }
  // Without a wait it is a try, which never blocks.
  Ready descriptors(const Asker& t) const {
    const auto* wait = at<DescriptorWait>(t);
    return model::when(wait == nullptr || may_proceed(t, *wait));
  }
  Ready signal_arrived(const Asker& t) const { return model::when(kUpward.has_signal(t, *at<uint64_t>(t))); }
  // A thread comes to it when the signal is there.
  Ready delivery_due(const Asker& /*thread*/) const { return Ready::kYes; }
  Ready child_ended(const Asker& t) const {
    const auto* wait = at<ChildWait>(t);
    return model::when(wait == nullptr || kUpward.child_over(t, *wait));
  }

  // Who has it.
  ThreadSlot* mutex_owner(const Asker& t) const { return owner_slot(t.pending.address); }
  ThreadSlot* wait_mutex_owner(const Asker& t) const { return owner_slot(t.pending.second); }
  ThreadSlot* rwlock_holder(const Asker& t) const {
    const auto* l = at<pthread_rwlock_t>(t);
    return rwlock_readable(l) ? holder_by_record(t) : slot_of_tid(l->__data.__cur_writer);
  }
  ThreadSlot* spin_holder(const Asker& t) const { return holder_by_record(t); }
  ThreadSlot* stream_holder(const Asker& t) const { return stream_owner(at<FILE>(t)); }
  ThreadSlot* joined(const Asker& t) const { return const_cast<ThreadSlot*>(at<ThreadSlot>(t)); }
  ThreadSlot* nobody() const { return nullptr; }
};

}  // namespace

bool mutex_free_for(const pthread_mutex_t* m, const ThreadSlot& t) { return model::lock_ready(facts_of(m, t)) == Ready::kYes; }
bool mutex_locked(const pthread_mutex_t* m) { return lock_word(m) != 0; }
bool mutex_held_by(const pthread_mutex_t* m, const ThreadSlot& t) { return owner_of(m) == t.tid; }
bool mutex_checks_owner(const pthread_mutex_t* m) {
  const int type = m->__data.__kind & kMutexTypeMask;
  return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK || (m->__data.__kind & kRobustBit) != 0;
}

// glibc 2.36: bit 1 of __readers says that a writer holds the lock, bits 3 and up count the readers; nobody ever waits inside glibc.
bool rwlock_readable(const pthread_rwlock_t* l) { return (*const_cast<const volatile unsigned*>(&l->__data.__readers) & 2) == 0; }
bool rwlock_writable(const pthread_rwlock_t* l) {
  return rwlock_readable(l) && (*const_cast<const volatile unsigned*>(&l->__data.__readers) >> 3) == 0;
}
bool rwlock_written_by(const pthread_rwlock_t* l, const ThreadSlot& t) { return !rwlock_readable(l) && l->__data.__cur_writer == t.tid; }

// A lock at an address that no object can have: its thread must crash on it itself, not whoever asks whether it could run.
static bool is_wild(model::WaitKind kind, const void* address) {
  const bool lock = (kind >= model::WaitKind::kMutex && kind <= model::WaitKind::kWriteLock) || kind == model::WaitKind::kSemaphore;
  return lock && reinterpret_cast<uintptr_t>(address) < kLowestObject;
}

Ready ready(const ThreadSlot& t) {
  const Pending& p = t.pending;
  const model::WaitKind kind = model::waits_for(p.op);
  if (kind == model::WaitKind::kNothing || __builtin_expect(is_wild(kind, p.address), 0)) return Ready::kYes;
  return model::ready(Words{}, p.op, t);
}

ThreadSlot* holder(const ThreadSlot& t) { return model::holder(Words{}, t.pending.op, t); }

}  // namespace heddle::rt
