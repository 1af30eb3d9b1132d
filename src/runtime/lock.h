#pragma once
// What the interposers of mutexes and of condition variables share.
#include <pthread.h>

#include "runtime/run.h"

namespace heddle::rt {

// The mutex is free for this thread: take it and remember where. Returns what pthread_mutex_lock would.
int take_mutex(pthread_mutex_t* mutex, SiteId site);
int drop_mutex(pthread_mutex_t* mutex);
// The thread ends: robust mutexes that it still holds go to the next who asks, as EOWNERDEAD. The kernel does this at the end of its own
// thread, which comes later here, or is not in this process at all.
void orphan_mutexes(const ThreadSlot& thread);
// A try has failed or not: marks the event, and the thread as spinning when it fails again and again at one place.
void mark_try(Event* event, bool fails);

}  // namespace heddle::rt
