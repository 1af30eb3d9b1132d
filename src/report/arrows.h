#pragma once
// What caused what in a run: pairs of events of two threads, for pictures.
#include <vector>

#include "trace/trace.h"

namespace heddle::report {

struct Arrow {
  size_t from, to;   // events
  const char* kind;  // "lock", "wake", "create", "join", "value"
};

// Unlock to lock, post to wait, signal to wake-up, birth to start, end to join, and the write whose value a read of another thread got; in the
// order of `to`, at most `most` of them, the last ones.
std::vector<Arrow> arrows(const Trace& trace, size_t most);

}  // namespace heddle::report
