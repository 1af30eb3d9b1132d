#pragma once
// One-time initialisation: pthread_once and the guards of function-local statics. Who comes while it runs waits, whoever runs it; who
// enters once it is done finds so and goes on.
#include "model/objects.h"

namespace heddle::model {

constexpr Ready once_ready(bool runs) { return when(!runs); }

template <typename State>
void enter_once(State& s, const Happening& h) {
  ObjectNow* once = s.object(h.object);
  if (once->count == 0) once->owner = h.thread;
}
// An initialiser that threw is run again by whoever comes next.
template <typename State>
void leave_once(State& s, const Happening& h) {
  ObjectNow* once = s.object(h.object);
  once->owner = kNone;
  once->count = (h.flags & kFailed) != 0 ? 0 : 1;  // done
}

}  // namespace heddle::model
