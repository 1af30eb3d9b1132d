#include "runtime/engine/standing.h"

#include "runtime/base/placement.h"

namespace heddle::rt {

HEDDLE_APART Candidate g_standing[kMaxThreads];
HEDDLE_APART uint32_t g_able[kMaxThreads];

}  // namespace heddle::rt
