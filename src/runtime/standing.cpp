#include "runtime/standing.h"

#include "runtime/placement.h"

namespace heddle::rt {

HEDDLE_APART Candidate g_standing[kMaxThreads];
HEDDLE_APART uint32_t g_able[kMaxThreads];

}  // namespace heddle::rt
