#pragma once
// How long a run of a search may get before it is given up.
#include <cstdint>

#include "trace/trace.h"

namespace heddle::search {

// First runs are short and grow: a program whose main loop never ends shows as much in its first thousands of events as in a million, and a
// search that waits for its end makes a handful of runs. While no run has been cut off the limit is several times the longest that came to its end.
// Then most runs stay short and some are longer, as the universal sequence of Luby, Sinclair & Zuckerman 1993 has it (1 1 2 1 1 2 4 ...), which
// is within a logarithm of the best fixed limit, whatever that is. Where nothing has come to its end yet, every power of two of them quadruples
// the length instead: a long program's own length is known after a few runs. A function of the runs observed, in their order.
class RunLength {
 public:
  // Of the next run, at most.
  uint64_t limit() const;
  void observe(const Trace& trace);
  uint64_t cut() const { return cut_; }

 private:
  static constexpr uint64_t kUnit = 10'000;  // more than a livelock takes to be seen
  static constexpr uint64_t kRoom = 8;       // times the longest run that ended
  uint64_t longest_ = 0;                     // of those that came to their end
  uint64_t cut_ = 0;                         // runs that did not
};

// The universal sequence, from 1 on.
uint64_t luby(uint64_t index);

}  // namespace heddle::search
