#pragma once
// What was computed of the run that was looked at last: the parts of a search ask the same of each run, one after the other.
#include <memory>
#include <optional>
#include <vector>

#include "trace/happens_before.h"

namespace heddle::trace {

struct KnownOfRun {
  Trace trace;
  std::shared_ptr<const HappensBefore> orders[3];  // by Edges
  std::optional<std::vector<EventPair>> conflicts;
  std::optional<std::vector<uint64_t>> states;  // order_hashes
  std::optional<std::vector<uint64_t>> behaviours;
};
// Of this thread's last run, if this is it, else empty. Valid until asked about another.
KnownOfRun& known_of(const Trace& trace);

std::shared_ptr<const HappensBefore> order_of(const Trace& trace, Edges edges);

}  // namespace heddle::trace
