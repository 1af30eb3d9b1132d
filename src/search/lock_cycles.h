#pragma once
#include <memory>
#include <vector>

#include "trace/trace.h"

namespace heddle::search {

// A thread asked for a lock while it held another.
struct LockEdge {
  uint32_t thread;  // index
  ObjectId held, wanted;
  size_t taken, request;                                  // events: where it took the one, where it asked for the other
  std::shared_ptr<const std::vector<ObjectId>> all_held;  // one for all edges of a request
};

// Sets of such requests, of different threads, that would wait for each other in a ring if all were made at once, and that no common lock
// keeps apart (Havelund, SPIN 2000; Bensalem & Havelund 2005, section 4). Shortest first, at most `most`.
std::vector<std::vector<LockEdge>> lock_cycles(const Trace& trace, size_t most = 16);

}  // namespace heddle::search
