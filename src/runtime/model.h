#pragma once
// The only blocking logic: may this thread's pending operation execute now without blocking?
#include "policy/moment.h"
#include "runtime/thread.h"

namespace heddle::rt {

Ready ready(const ThreadSlot& thread);
// While the word there is 0, ready() is kYes.
Gate gate_of(const Pending& pending);

// Moves on whenever something may have made a descriptor ready: those who wait for one are not asked again before.
extern uint64_t g_descriptor_news;

// Who holds what this thread's pending operation waits for; nullptr when nobody in particular does.
ThreadSlot* holder(const ThreadSlot& thread);

bool mutex_free_for(const pthread_mutex_t* mutex, const ThreadSlot& thread);
bool rwlock_readable(const pthread_rwlock_t* lock);
bool rwlock_writable(const pthread_rwlock_t* lock);  // nobody holds it
bool rwlock_written_by(const pthread_rwlock_t* lock, const ThreadSlot& thread);
bool mutex_held_by(const pthread_mutex_t* mutex, const ThreadSlot& thread);

}  // namespace heddle::rt
