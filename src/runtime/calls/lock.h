#pragma once
// What the interposers of mutexes and of condition variables share.
#include <pthread.h>

#include "runtime/engine/run.h"

namespace heddle::rt {

// The mutex is free for this thread: take it and remember where. Returns what pthread_mutex_lock would.
int take_mutex(pthread_mutex_t* mutex, SiteId site);
int drop_mutex(pthread_mutex_t* mutex);
// The thread ends: robust mutexes that it still holds go to the next who asks, as EOWNERDEAD. The kernel does this at the end of its own
// thread, which comes later here, or is not in this process at all.
void orphan_mutexes(const ThreadSlot& thread);

}  // namespace heddle::rt
