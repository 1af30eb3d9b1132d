#include "trace/known.h"

namespace heddle::trace {

KnownOfRun& known_of(const Trace& trace) {
  thread_local KnownOfRun known;
  if (&known.trace.data() != &trace.data()) {
    known = {};
    known.trace = trace;
  }
  return known;
}

std::shared_ptr<const HappensBefore> order_of(const Trace& trace, Edges edges) {
  auto& order = known_of(trace).orders[static_cast<size_t>(edges)];
  if (!order) order = std::make_shared<const HappensBefore>(trace, edges);
  return order;
}

}  // namespace heddle::trace
