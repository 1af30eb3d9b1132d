// What a search says of itself in JSON.
#include "cli/finding.h"

namespace heddle::cli {

namespace {

// The point set at the end of the search, and how many places in the code it has.
std::pair<PointKind, size_t> points_of_search(const Found& found, const CampaignOptions& options) {
  if (found.learnt && !found.learnt->sites.empty()) {
    const bool atomics = options.plan.points() == PointKind::kAtomics;
    return {atomics ? PointKind::kAtomics : PointKind::kRacy, found.learnt->sites.size()};
  }
  const Trace::Data& data = found.failed() ? found.failing().data() : found.facts.sample().data();
  return {data.points, data.sites.size()};
}

}  // namespace

Json json_own_locks(const std::vector<OwnLocks>& all) {
  Json j = Json::array();
  for (const OwnLocks& m : all) j.push_back({{"module", m.path}, {"exchanges", m.exchanges}});
  return j;
}

Json json_find(const Found& found, const CampaignOptions& options) {
  Json j = {{"executions", found.result.executions}, {"seconds", found.result.seconds}, {"strategy", options.strategy_name()}};
  j["inconclusive"] = found.result.inconclusive;
  j["schedules"] = found.result.last.schedules;
  j["behaviours"] = found.result.last.behaviours;
  j["unseen"] = found.result.unseen;
  j["exhausted"] = found.result.exhausted;
  j["known"] = found.failed() && found.believed.front().known.has_value();
  j["campaign"] = {{"searches", found.totals.searches},
                   {"executions", found.totals.executions},
                   {"seconds", found.totals.seconds},
                   {"resumed", found.segment}};
  j["after_releases"] = found.after_releases;
  j["own_locks"] = json_own_locks(found.own_locks);
  const auto [points, sites] = points_of_search(found, options);
  j["points"] = points_name(points);
  j["sites"] = sites;
  if (found.learnt) {
    const LearntPoints& l = *found.learnt;
    j["learnt"] = {{"by", l.executions > 0 ? "valgrind" : "code"},
                   {"runs", l.executions},
                   {"native", l.native},
                   {"seconds", l.seconds},
                   {"sites", l.sites.size()},
                   {"racing", l.racing},
                   {"suspected", l.suspected},
                   {"atomic", l.atomic},
                   {"not_points", l.unseen},
                   {"why_not", l.why_not}};
  }
  return j;
}

}  // namespace heddle::cli
