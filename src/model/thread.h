#pragma once
// Threads: created, started, ended, joined.
#include "model/objects.h"

namespace heddle::model {

// One that the plan removed never starts, and can be joined at once.
template <typename State>
void create(State& s, const Happening& h) {
  if (h.peer != kNone) s.thread(h.peer)->live = (h.flags & kDisabledThread) == 0;
}

template <typename State>
void end(State& s, const Happening& h) {
  s.thread(h.thread)->live = false;
}

}  // namespace heddle::model
