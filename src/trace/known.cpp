#include "trace/known.h"

#include <utility>

namespace heddle::trace {

namespace {

thread_local KnownOfRun of_this_run;

}  // namespace

KnownOfRun looked_at(const Trace& trace) {
  (void)order_hash(trace);
  (void)behaviours(trace);
  return std::exchange(of_this_run, {});
}

void keep_known(KnownOfRun of_run) { of_this_run = std::move(of_run); }

KnownOfRun& known_of(const Trace& trace) {
  if (&of_this_run.trace.data() != &trace.data()) {
    of_this_run = {};
    of_this_run.trace = trace;
  }
  return of_this_run;
}

std::shared_ptr<const HappensBefore> order_of(const Trace& trace, Edges edges) {
  auto& order = known_of(trace).orders[static_cast<size_t>(edges)];
  if (!order) order = std::make_shared<const HappensBefore>(trace, edges);
  return order;
}

}  // namespace heddle::trace
