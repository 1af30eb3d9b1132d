#include "cli/closed_check.h"

#include <algorithm>
#include <atomic>

#include "trace/plain_points.h"
#include "trace/project.h"
#include "trace/races.h"
#include "trace/sight.h"

namespace heddle::cli {

namespace {

// A loop that waits without a call and is found on the way becomes a point: then the search begins again. That a loop waits is seen from what it
// was seen to do, so that nothing is proved with one.
CheckResult check_plain(Campaign& campaign, SearchOptions& search, const CheckOptions& check_options) {
  for (;;) {
    const size_t known = campaign.pool().loops().size();
    CheckResult result = check(search, campaign.pool(), check_options);
    if (known > 0 && result.certificate.open.empty()) result.certificate.open = "threads wait in loops without a call";
    if (campaign.learnt() && result.certificate.open.empty()) result.certificate.open = kLearntPoints;
    if (campaign.pool().loops().size() == known || result.found.found() || stop_flag()) return result;
    add_loops(search.base, campaign.pool().loops());
  }
}

}  // namespace

CheckResult check_closed(Campaign& campaign, bool learns, SearchOptions search, CheckOptions check_options) {
  if (!learns) return check_plain(campaign, search, check_options);
  watch(search.base);
  RaceLog races;
  std::atomic<bool> open{false};
  check_options.find.stop = &open;
  check_options.find.each = [&](size_t, const Plan& plan, const Trace& trace) {
    races.add(trace);
    const std::vector<SiteId> sites = races.sites();
    open = stop_flag() || !std::includes(plan.sites.begin(), plan.sites.end(), sites.begin(), sites.end());
  };
  for (;;) {
    CheckResult result = check(search, campaign.pool(), check_options);
    if (!open || stop_flag() || result.found.found()) return result;
    std::vector<SiteId> sites = races.sites();
    sites.insert(sites.end(), search.base.sites.begin(), search.base.sites.end());
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    set_points(search.base, PointKind::kRacy, std::move(sites));
    open = false;
  }
}

}  // namespace heddle::cli
