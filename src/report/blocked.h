#pragma once
// The diagnosis of a run in which nobody can go on, or everybody goes round in a loop.
#include "report/case.h"

namespace heddle::report {

void diagnose_deadlock(Case& c);
void diagnose_livelock(Case& c);

}  // namespace heddle::report
