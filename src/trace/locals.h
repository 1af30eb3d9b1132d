#pragma once
// In whose frame the objects on threads' stacks lie: with the debug information that says which local variable each is.
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

struct LocalPlace {
  ObjectId object = kNoObject;
  // Where the function was that has the object in its frame, when the object was first and last used.
  SiteId first = kNoSite, last = kNoSite;
  uint64_t frame_end = 0;  // of that frame: how far below the top of the stack

  friend bool operator==(const LocalPlace&, const LocalPlace&) = default;
};

// Of a run under kDetectStacks. Objects whose frame is not sure are left out.
std::vector<LocalPlace> locals_in(const Trace& trace);

}  // namespace heddle::trace
