#pragma once
// Where the old build of a bug waits for time to pass, in more runs than the one that failed.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "cli/anchoring.h"
#include "cli/campaign.h"
#include "trace/reanchor.h"

namespace heddle::cli {

class TimedWaits {
 public:
  void add(const PlacedTrace& run);
  // Places that do this to this object in this function. Its text does not count: the sources may be those of another build by now.
  size_t like(const PlacedOperation& operation) const;

 private:
  using Key = std::tuple<Op, std::string, std::string>;
  static Key key(const PlacedOperation& operation) { return {operation.op, operation.object, operation.place.function}; }
  std::map<Key, std::set<int>> lines_;
};

// Of a few schedules; empty where the old build cannot be run.
TimedWaits timed_waits_before(const VerifySubject& subject, const CampaignOptions& options);

// A wait for time to pass that the new build has and the old one had not; nothing: there is none.
std::optional<PlacedOperation> added_wait(const VerifySubject& subject, const CampaignOptions& options, const Reanchoring& matching);

}  // namespace heddle::cli
