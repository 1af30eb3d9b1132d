#pragma once
// What happens before what: clocks of threads and of what they synchronise by.
#include "runtime/engine/thread.h"
#include "runtime/memory/context_tree.h"
#include "runtime/memory/tsan_hooks.h"
#include "runtime/memory/vector_clock.h"

namespace heddle::rt {

// The full order, and the one without the edges from unlock to lock.
struct Order {
  VectorClock full;
  VectorClock weak;
};

struct RaceThread {
  uint32_t epoch;  // this thread's own entry in both of its clocks; counts its releases
  uint32_t stamp;  // stands for thread and epoch in a cell's head; 0: none yet
  ContextId context;
  Order now;
  Order pending_acquire;  // what relaxed loads have seen: taken over by an acquire fence
  Order fence_release;    // at the last release fence: handed on by relaxed stores
  bool fenced;
  bool ignores_reads, ignores_writes, ignores_sync;  // the program says so
  uint32_t ignore_counts[3];                         // how often it has said so, in the order of Ignored
};

extern RaceThread* g_race_threads;  // by thread index; nullptr before the first use
RaceThread& new_race_thread(uint32_t index);
inline RaceThread& race_thread(uint32_t index) {
  if (__builtin_expect(g_race_threads == nullptr || g_race_threads[index].epoch == 0, 0)) return new_race_thread(index);
  return g_race_threads[index];
}

// The thread's stamp for its present epoch, and what a stamp stands for.
struct Stamp {
  uint32_t clock;
  uint32_t thread;
};
extern Stamp* g_stamps;
uint32_t new_stamp(RaceThread* t, uint32_t index);
inline uint32_t stamp_of(RaceThread* t, uint32_t index) { return __builtin_expect(t->stamp != 0, 1) ? t->stamp : new_stamp(t, index); }

// Called for every event of the run as it is recorded: the edges of synchronisation calls.
void race_event(const ThreadSlot& thread);
// The acquiring part of an atomic operation stands before the check of its access, the releasing part after it.
void atomic_acquires(const AtomicDone& done);
void atomic_releases(const AtomicDone& done);
void annotated(const void* address, Annotation what);
void race_ignores(int ignored, int more);
// Two accesses of this granule were made under a lock that both threads held: what the other did before it gave the lock back is over, in
// every order of the two sections that keeps what was read (Kini, Mathur & Viswanathan 2017, rule a).
void order_sections(RaceThread* t, ContextId other);

}  // namespace heddle::rt
