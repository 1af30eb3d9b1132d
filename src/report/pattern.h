#pragma once
// From the operations around a deciding switch to a kind of bug. The interleavings of a stale read, a lost update and a half-seen change
// are those of Lu et al., "AVIO" (2006) and "Learning from Mistakes" (2008), section 3.
#include "report/diagnosis.h"
#include "report/evidence.h"

namespace heddle::report {

// `cause`: the tested claim, or null. `passing`: the nearest passing run, or null.
BugClass pattern_of(Names& names, const Window& window, const Triple& triple, const Cause* cause, const Trace* passing);

}  // namespace heddle::report
