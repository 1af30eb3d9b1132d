#pragma once
// The calls that each event is made from, for a run that is going to be explained. A DetectFlag of a plan, not together with kDetectRaces:
// the rows of the race table carry the stacks. `count` is the event's number in the run, from 1; `first` has the stack, innermost first,
// without the runtime's own frames; return addresses minus one.
#include "wire/race.h"

namespace heddle {

inline constexpr uint32_t kDetectStacks = 1u << 1;

}  // namespace heddle
