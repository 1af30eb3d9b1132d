#pragma once
// Locks, semaphores, conditions, barriers and futexes that lie in memory shared with other processes.
#include "runtime/thread.h"

namespace heddle::rt {

// In a mutex's __kind.
inline constexpr int kSharedBit = 128;

// glibc 2.36's words of a pthread_barrier_t.
struct BarrierWords {
  unsigned in;       // arrivals, over all rounds
  unsigned current;  // arrivals that belong to a complete round
  unsigned needed;   // in a round; 0: not initialised, or destroyed
  int shared;
  unsigned out;
};

// Made for use by several processes (PTHREAD_PROCESS_SHARED, sem_open)?
bool for_processes(const pthread_cond_t* condition);

// Might another process end this thread's wait? The object is made for that, lies in a shared mapping, and that one has a name by which others
// find it or there is a child that has it too.
bool others_may_end(const ThreadSlot& thread);

}  // namespace heddle::rt
