#include "runtime/base/watch.h"

#include "runtime/base/placement.h"

namespace heddle::rt {

Watch g_watch;
HEDDLE_APART uintptr_t g_settled[kSettled];

}  // namespace heddle::rt
