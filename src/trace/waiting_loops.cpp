#include "trace/waiting_loops.h"

#include <algorithm>

#include "symbols/displace.h"
#include "trace/project.h"

namespace heddle::trace {

namespace {

bool is_loop(SiteId site) { return (site & kLoopMark) != 0 && site >> 63 == 0; }

bool merge(std::vector<SiteId>& sites, std::shared_ptr<const LoopPoints>& code, std::span<const CodePoint> loops) {
  LoopPoints all = code ? *code : LoopPoints();
  bool changed = false;
  for (const CodePoint& loop : loops) {
    if (std::any_of(all.begin(), all.end(), [&](const CodePoint& known) { return known.site == loop.site; })) continue;
    all.push_back(loop);
    sites.push_back(waiting_loop(loop.site));
    changed = true;
  }
  if (!changed) return false;
  std::sort(all.begin(), all.end(), [](const CodePoint& a, const CodePoint& b) { return a.site < b.site; });
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  code = std::make_shared<const LoopPoints>(std::move(all));
  return true;
}

}  // namespace

bool add_loops(Plan& plan, std::span<const CodePoint> loops) {
  if (!merge(plan.sites, plan.code, loops)) return false;
  set_points(plan, plan.points, std::move(plan.sites));
  return true;
}

std::vector<SiteId> loops_among(std::span<const SiteId> sites) {
  std::vector<SiteId> loops;
  for (SiteId site : sites) {
    if (is_loop(site)) loops.push_back(site & ~kLoopMark);
  }
  return loops;
}

std::shared_ptr<const LoopPoints> loops_of(const Trace& trace, Strictness strictness) {
  const Trace::Data& data = trace.data();
  if (std::none_of(data.sites.begin(), data.sites.end(), is_loop)) return nullptr;
  LoopPoints loops;
  if (data.code) {
    loops = *data.code;
    if (strictness == Strictness::kStrict) return data.code;
  } else {
    std::vector<std::string> paths;
    for (const Module& m : data.modules) paths.push_back(m.path);
    CodeModules modules;
    loops = loop_points(modules, paths, data.sites);
  }
  for (CodePoint& loop : loops) {
    loop.from = 0;
    if (strictness != Strictness::kStrict) continue;
    const auto first = std::find_if(data.events.begin(), data.events.end(),
                                    [&](const Event& e) { return e.op == Op::kLoopIteration && e.site == loop.site; });
    loop.from = static_cast<uint64_t>(first - data.events.begin());
  }
  return std::make_shared<const LoopPoints>(std::move(loops));
}

}  // namespace heddle::trace
