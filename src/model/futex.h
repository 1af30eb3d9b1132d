#pragma once
// Futexes. A wait is two operations: to queue, if the word has the value that is expected, and to resume.
#include "model/objects.h"

namespace heddle::model {

template <typename State>
void queue_on_futex(State& s, const Happening& h) {
  s.enqueue(h.thread, h.object);
  // Others than this program's threads may change the word.
  s.thread(h.thread)->unsure = (h.flags & kShared) != 0;
}

// The value of a wake that chose nobody is how many it wakes; 0: it does not say whom (a bitset, two words at once, a requeue).
template <typename State>
void wake_futex(State& s, const Happening& h) {
  if ((h.flags & kChoice) != 0) {
    if (h.peer != kNone && s.thread(h.peer)->waits_on != kNone) s.thread(h.peer)->woken = true;
  } else if (h.value == 0) {
    s.doubt_queues();
  } else {
    s.wake(h.object, h.value, kNone);
  }
}

template <typename State>
void resume(State& s, const Happening& h) {
  ThreadNow* t = s.thread(h.thread);
  t->waits_on = kNone;
  t->woken = t->unsure = false;
}

}  // namespace heddle::model
