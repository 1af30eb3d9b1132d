#pragma once
// Recognises loops that wait by reading: the same reads give the same values again and again, and the thread does nothing else.
#include <stdint.h>

namespace heddle::rt {

struct ThreadSlot;

// The current thread has read `value`. True when this read belongs to a round of a loop in which nothing new was seen.
// `point`: the read was a scheduling point, that is one of the thread's own operations.
bool reads_again(uintptr_t pc, const void* address, uint64_t value, bool point);
// The thread has yielded or slept: its next read goes on with the same round.
void reads_idled(const ThreadSlot& thread);
// Has the current thread begun a round that its next read may continue?
bool reads_open();
// The current thread has written.
void reads_changed();

}  // namespace heddle::rt
