#pragma once
// The calls that each event is made from, for a run that is going to be explained. A DetectFlag of a plan, not together with kDetectRaces:
// the rows of the race table carry the stacks. `count` is the event's number in the run, from 1; `first` has the stack, innermost first,
// without the runtime's own frames; return addresses minus one. `second.stack` has beside each frame how far it ends below the top of the
// thread's stack (as ids.h counts for kStack), that is its call frame address; kNoFrameEnd where that is not known.
#include "wire/race.h"

namespace heddle {

inline constexpr uint32_t kDetectStacks = 1u << 1;
inline constexpr uint64_t kNoFrameEnd = UINT64_MAX;

}  // namespace heddle
