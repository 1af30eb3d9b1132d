#include "trace/project.h"

#include <algorithm>
#include <utility>

#include "trace/happens_before.h"
#include "trace/plain_points.h"

namespace heddle::trace {

namespace {

bool is_plain_access(Op op) { return op == Op::kLoad || op == Op::kStore || op == Op::kLoadStore; }

}  // namespace

std::vector<SiteId> racing_sites(const Trace& all) {
  std::vector<SiteId> sites;
  for (const EventPair& pair : reversible_conflicts(all)) {
    for (size_t i : {pair.first, pair.second}) {
      if (is_plain_access(all.events()[i].op)) sites.push_back(all.events()[i].site);
    }
  }
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return sites;
}

void set_points(Plan& plan, PointKind kind, std::vector<SiteId> sites) {
  plan.points = kind;
  plan.sites = std::move(sites);
  plan.points_id = mix(static_cast<uint64_t>(kind), plan.sites.size());
  for (SiteId site : plan.sites) plan.points_id = mix(plan.points_id, site);
}

Trace project(const Trace& all, const std::vector<SiteId>& sites) {
  constexpr uint16_t kSwitchFlags = kPreviousReady | kPreviousReadyByTimeout;
  Trace::Data data = all.data();
  LongRows<Event> kept;
  std::vector<uint32_t> numbers(data.threads.size());
  uint16_t pending_flags = 0;  // of a slice whose first event was left out
  uint32_t last = kNoIndex;
  for (Event e : data.events) {
    if (e.thread != last) pending_flags = e.flags & kSwitchFlags;
    last = e.thread;
    if (is_plain_access(e.op) && (e.flags & kSpin) == 0 && !std::binary_search(sites.begin(), sites.end(), e.site)) continue;
    e.number = ++numbers[e.thread];
    e.flags = static_cast<uint16_t>((e.flags & ~kSwitchFlags) | pending_flags);
    pending_flags = 0;
    kept.push_back(e);
  }
  for (size_t i = 0; i < data.threads.size(); ++i) data.threads[i].operations = numbers[i];
  data.executed = kept.size();
  data.events = std::move(kept);
  Plan points;
  std::vector<SiteId> with_loops = sites;
  for (SiteId loop : loops_among(data.sites)) with_loops.push_back(waiting_loop(loop));
  std::sort(with_loops.begin(), with_loops.end());
  set_points(points, PointKind::kRacy, std::move(with_loops));
  data.points = points.points;
  data.points_id = points.points_id;
  data.sites = points.sites;
  return Trace(std::move(data));
}

}  // namespace heddle::trace
