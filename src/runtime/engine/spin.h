#pragma once
// Recognises loops that wait by reading: the same reads give the same values again and again, and the thread does nothing else.
#include <stdint.h>

#include "runtime/base/watch.h"
#include "runtime/engine/thread.h"

namespace heddle::rt {

// Reads of one round of a loop; a loop that reads more is not taken for a wait.
inline constexpr uint32_t kRound = 6;
struct Reads {
  uint32_t operations;  // of the thread, at its last read: any other operation since is news
  uint32_t count;
  uint32_t repeats;
  ThreadId owner;  // slots are used anew in another run of the same process image
  struct Read {
    uintptr_t pc;
    const void* address;
    uint64_t value;
  } reads[kRound];
};
extern Reads g_reads[];  // by thread

// The current thread has read `value`. True when this read belongs to a round of a loop in which nothing new was seen.
// `point`: the read was a scheduling point, that is one of the thread's own operations.
bool reads_again(uintptr_t pc, const void* address, uint64_t value, bool point);
// The thread has yielded or slept: its next read goes on with the same round.
void reads_idled(const ThreadSlot& thread);
// The current thread has written.
inline void reads_changed() {
  g_reads[g_current->index].count = 0;
  g_watch.limit = kPatience;
}
// Another thread has begun to run.
inline void watch_switched() {
  g_watch.stamp = 0;
  g_watch.limit = g_reads[g_current->index].count != 0 ? 0 : kPatience;
}

}  // namespace heddle::rt
