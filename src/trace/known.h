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
  std::vector<uint64_t> found;                  // with them: of each event, what it can depend on (OrderWalk::finds)
  std::optional<std::vector<uint64_t>> behaviours;
};
// What a search will ask of the run in any case: for a thread that has time, so that the one that asks has it at hand (keep_known).
KnownOfRun looked_at(const Trace& trace);
void keep_known(KnownOfRun known);
// Of this thread's last run, if this is it, else empty. Valid until asked about another.
KnownOfRun& known_of(const Trace& trace);

// Of each event of the run, in order, the hash of all that it can depend on. Valid until asked about another run.
const std::vector<uint64_t>& found_by(const Trace& trace);

std::shared_ptr<const HappensBefore> order_of(const Trace& trace, Edges edges);

}  // namespace heddle::trace
