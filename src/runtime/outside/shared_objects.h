#pragma once
// Locks, semaphores, conditions, barriers and futexes that lie in memory shared with other processes.
#include "runtime/engine/thread.h"
#include "runtime/engine/waits.h"

namespace heddle::rt {

// In a mutex's __kind.
inline constexpr int kSharedBit = 128;

// Made for use by several processes (PTHREAD_PROCESS_SHARED, sem_open)?
bool for_processes(const pthread_cond_t* condition);

// Might another process end this thread's wait? The object is made for that, lies in a shared mapping, and that one has a name by which others
// find it or there is a child that has it too.
bool others_may_end(const ThreadSlot& thread);

}  // namespace heddle::rt
