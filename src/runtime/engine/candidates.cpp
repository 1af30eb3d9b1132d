#include "runtime/engine/candidates.h"

#include "runtime/base/placement.h"

namespace heddle::rt {

HEDDLE_APART Candidate g_candidates[kMaxThreads];
HEDDLE_APART uint32_t g_able[kMaxThreads];

}  // namespace heddle::rt
