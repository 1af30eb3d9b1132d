#pragma once
// Barriers. To pass one is two operations: to arrive, and to leave when the round is complete. The last to arrive completes it.
#include "model/objects.h"

namespace heddle::model {

// An arrival's value is the barrier's size; 0: it does not say, and nobody knows when the round is complete.
template <typename State>
void arrive(State& s, const Happening& h) {
  ObjectNow* barrier = s.object(h.object);
  if (h.value != 0) barrier->size = static_cast<uint32_t>(h.value);
  s.enqueue(h.thread, h.object);
  ++barrier->count;
  // Somebody in another process may complete the round.
  s.thread(h.thread)->unsure = (h.flags & kShared) != 0;
  if (barrier->size == 0) return s.doubt(h.object);
  if (static_cast<uint32_t>(barrier->count) < barrier->size) return;
  barrier->count = 0;
  s.wake(h.object, kEverybody, kNone);
}

template <typename State>
void leave(State& s, const Happening& h) {
  ThreadNow* t = s.thread(h.thread);
  t->waits_on = kNone;
  t->woken = t->unsure = false;
}

}  // namespace heddle::model
