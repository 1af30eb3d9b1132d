#include "trace/known.h"

#include <utility>

namespace heddle::trace {

namespace {

thread_local KnownOfRun known;

}  // namespace

KnownOfRun looked_at(const Trace& trace) {
  (void)order_hash(trace);
  (void)behaviours(trace);
  return std::exchange(known, {});
}

void keep_known(KnownOfRun of_run) { known = std::move(of_run); }

KnownOfRun& known_of(const Trace& trace) {
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
