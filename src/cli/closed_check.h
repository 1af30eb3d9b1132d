#pragma once
// Exploring all schedules over a point set that is closed: what `check` proves, and what `verify` may call enumerated.
#include "cli/campaign.h"
#include "search/check.h"

namespace heddle::cli {

// A proof is one over a closed point set: where it consists of racing accesses, every run is watched, and one that shows a new racing site
// makes it begin again with that site among the points. `learns`: the points are such accesses.
CheckResult check_closed(Campaign& campaign, bool learns, SearchOptions search, CheckOptions check_options);

}  // namespace heddle::cli
