#pragma once
// The diagnosis of waits on conditions that never end.
#include "report/case.h"

namespace heddle::report {

// False if nobody waits on a condition.
bool conditions(Case& c);

}  // namespace heddle::report
