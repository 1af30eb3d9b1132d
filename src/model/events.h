#pragma once
// The state as the events so far tell it: the tool's backing of the machine. A view; whoever goes over a run owns the two arrays.
#include "model/barrier.h"
#include "model/condition.h"
#include "model/mutex.h"
#include "model/objects.h"
#include "model/rwlock.h"
#include "model/semaphore.h"

namespace heddle::model {

// What the machine asks.
class EventFacts {
 public:
  // The thread that asks, and what for.
  struct Asker {
    uint32_t thread;
    uint32_t object;  // of a join: the thread
  };

  EventFacts(const ObjectNow* objects, const ThreadNow* threads, uint64_t clock) : objects_(objects), threads_(threads), clock_(clock) {}

  LockFacts mutex(const Asker& a) const { return lock(a.object, a.thread); }
  LockFacts wait_mutex(const Asker& a) const {
    const uint32_t mutex = threads_[a.thread].mutex;
    return mutex == kNone ? LockFacts{} : lock(mutex, a.thread);
  }
  // Where nobody else has it a stream is locked without an event.
  Ready stream_free(const Asker& /*asker*/) const { return Ready::kUnknown; }
  bool spin_taken(const Asker& a) const { return objects_[a.object].owner != kNone; }
  RwlockFacts rwlock(const Asker& a) const {
    const ObjectNow& o = objects_[a.object];
    return {o.owner != kNone, o.owner == a.thread, o.readers > 0};
  }
  SemaphoreFacts semaphore(const Asker& a) const {
    const ObjectNow& o = objects_[a.object];
    return {o.count > 0 && !o.doubtful, o.exact && !o.doubtful};
  }
  Ready woken(const Asker& a) const {
    const ThreadNow& t = threads_[a.thread];
    return t.woken ? Ready::kYes : t.unsure ? Ready::kUnknown : Ready::kNo;
  }
  bool runs_once(const Asker& a) const { return objects_[a.object].owner != kNone; }
  bool runs_guarded(const Asker& a) const { return runs_once(a); }
  Ready finished(const Asker& a) const { return a.object == kNone ? Ready::kUnknown : when(!threads_[a.object].live); }
  bool due(const Asker& a) const { return threads_[a.thread].deadline != 0 && clock_ >= threads_[a.thread].deadline; }
  Ready round_complete(const Asker& a) const { return woken(a); }
  Ready futex_woken(const Asker& a) const { return woken(a); }
  Ready descriptors(const Asker& /*asker*/) const { return Ready::kUnknown; }
  Ready signal_arrived(const Asker& /*asker*/) const { return Ready::kUnknown; }
  Ready delivery_due(const Asker& /*asker*/) const { return Ready::kUnknown; }
  Ready child_ended(const Asker& /*asker*/) const { return Ready::kUnknown; }

 private:
  LockFacts lock(uint32_t object, uint32_t thread) const {
    const ObjectNow& o = objects_[object];
    return {o.owner != kNone, o.owner == thread, o.reenters, o.robust && o.owner != kNone && !threads_[o.owner].live};
  }

  const ObjectNow* objects_;
  const ThreadNow* threads_;
  uint64_t clock_;
};

// And what it changes.
class EventState : public EventFacts {
 public:
  EventState(ObjectNow* objects, ThreadNow* threads, uint32_t thread_count, uint64_t clock = 0)
      : EventFacts(objects, threads, clock), objects_(objects), threads_(threads), count_(thread_count) {}

  ObjectNow* object(uint32_t index) { return &objects_[index]; }
  ThreadNow* thread(uint32_t index) { return &threads_[index]; }

  // Behind those who wait already.
  void enqueue(uint32_t thread, uint32_t object) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < count_; ++i) {
      if (threads_[i].waits_on != kNone && threads_[i].turn > last) last = threads_[i].turn;
    }
    ThreadNow& t = threads_[thread];
    t.waits_on = object;
    t.turn = last + 1;
    t.woken = t.unsure = false;
  }
  bool waits(uint32_t thread, uint32_t object) const { return threads_[thread].waits_on == object && !threads_[thread].woken; }
  uint32_t first_waiter(uint32_t object) const {
    uint32_t first = kNone;
    for (uint32_t i = 0; i < count_; ++i) {
      if (waits(i, object) && (first == kNone || threads_[i].turn < threads_[first].turn)) first = i;
    }
    return first;
  }
  // Up to `count` of them, the chosen one first.
  void wake(uint32_t object, uint64_t count, uint32_t chosen) {
    if (count > 0 && chosen != kNone && waits(chosen, object)) {
      threads_[chosen].woken = true;
      --count;
    }
    for (; count > 0; --count) {
      const uint32_t next = first_waiter(object);
      if (next == kNone) return;
      threads_[next].woken = true;
    }
  }
  // Some of them may have been woken.
  void doubt(uint32_t object) {
    for (uint32_t i = 0; i < count_; ++i) {
      if (waits(i, object)) threads_[i].unsure = true;
    }
  }

  // Some of those who wait without a mutex may have been woken, or queued elsewhere.
  void doubt_queues() {
    for (uint32_t i = 0; i < count_; ++i) {
      if (threads_[i].waits_on != kNone && threads_[i].mutex == kNone) threads_[i].unsure = true;
    }
  }

 private:
  ObjectNow* objects_;
  ThreadNow* threads_;
  uint32_t count_;
};

}  // namespace heddle::model
