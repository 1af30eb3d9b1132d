#pragma once
// A livelock is proved by a state that comes back: the same memory, every thread at the same place, with a fair stretch of the schedule in
// between and nothing from outside. What has led there once can lead there for ever. That the threads only yield, poll and time out
// is where the question begins, and no answer to it. See docs/decisions/0017.
#include "runtime/engine/thread.h"

namespace heddle::rt {

// So many events in a row without progress, and the question is asked.
inline constexpr uint64_t kAskFrom = 3900;

// Of the run that idles, at each point of it. `me` is the thread that has just come to its point.
void look_for_repetition(ThreadSlot* me);
// Progress has been made, or the run is over.
void stop_looking(ThreadSlot* me);

bool state_has_repeated();
// Where it has not: why, as far as is known.
const char* why_not_repeated();

}  // namespace heddle::rt
