#pragma once
// Threads that wait for a semaphore for ever: who took its permits and did not post them.
#include "report/case.h"

namespace heddle::report {

// Who waits is known already (Diagnosis::waits). Says nothing where nobody waits for a semaphore.
void permits(Case& c);

}  // namespace heddle::report
