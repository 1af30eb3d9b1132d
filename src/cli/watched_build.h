#pragma once
// A build that shows no memory accesses, watched under Valgrind: does it race where the build of the bug did not? A change that takes an access out
// of its critical section leaves a race, and a program that fails only between instructions.
#include <string>
#include <vector>

#include "cli/anchoring.h"
#include "cli/campaign.h"

namespace heddle::cli {

struct WatchedBuild {
  bool watched = false;
  std::string why_not;                 // it was not, or not to the end
  size_t executions = 0;               // under Valgrind
  PointSet points;                     // racing and atomic instructions
  size_t racing = 0;                   // that certainly race
  std::vector<std::string> new_races;  // functions that certainly race, and did not before as far as that is known
};

// `seconds`: to spend at most on each of the two builds; 0: no limit of its own.
WatchedBuild watch_build(Campaign& campaign, const VerifySubject& subject, const CampaignOptions& options, double seconds);

}  // namespace heddle::cli
