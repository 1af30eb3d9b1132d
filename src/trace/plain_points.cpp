#include "trace/plain_points.h"

#include <algorithm>
#include <mutex>

#include "symbols/displace.h"
#include "trace/project.h"

namespace heddle::trace {

namespace {

bool is_loop(SiteId site) { return (site & kLoopMark) != 0 && site >> 63 == 0; }
bool is_plain_access(SiteId site) { return (site & kAccessMark) != 0 && site >> 63 == 0; }
bool is_marked(SiteId site) { return is_loop(site) || is_plain_access(site); }

void sort_sites(std::vector<SiteId>& sites) {
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
}

bool merge(std::vector<SiteId>& sites, std::shared_ptr<const CodePoints>& code, std::span<const CodePoint> loops) {
  CodePoints all = code ? *code : CodePoints();
  bool changed = false;
  for (const CodePoint& loop : loops) {
    if (std::any_of(all.begin(), all.end(), [&](const CodePoint& known) { return known.site == loop.site; })) continue;
    all.push_back(loop);
    sites.push_back(waiting_loop(loop.site));
    changed = true;
  }
  if (!changed) return false;
  keep_apart(all);
  sort_sites(sites);
  code = std::make_shared<const CodePoints>(std::move(all));
  return true;
}

// Decoding a program's modules takes longer than a short run; the same plans ask again and again.
class KnownCode {
 public:
  std::shared_ptr<const CodePoints> of(const std::vector<std::string>& paths, const std::vector<SiteId>& sites,
                                       std::vector<SiteId>* refused = nullptr) {
    const std::lock_guard lock(mutex_);
    if (!code_ || paths != paths_ || sites != sites_) {
      refused_.clear();
      code_ = std::make_shared<const CodePoints>(code_points(modules_, paths, sites, &refused_));
      paths_ = paths;
      sites_ = sites;
    }
    if (refused != nullptr) *refused = refused_;
    return code_;
  }

 private:
  std::mutex mutex_;
  CodeModules modules_;
  std::vector<std::string> paths_;
  std::vector<SiteId> sites_, refused_;
  std::shared_ptr<const CodePoints> code_;
};

KnownCode& known_code() {
  static KnownCode known;
  return known;
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

std::vector<SiteId> accesses_among(std::span<const SiteId> sites) {
  std::vector<SiteId> accesses;
  for (SiteId site : sites) {
    if (is_plain_access(site)) accesses.push_back(site & ~(kAccessMark | kAtomicAccessMark));
  }
  return accesses;
}

bool has_plain_accesses(std::span<const SiteId> sites) { return std::any_of(sites.begin(), sites.end(), is_plain_access); }

std::vector<SiteId> add_accesses(Plan& plan, const std::vector<std::string>& paths, const std::vector<SiteId>& accesses) {
  std::vector<SiteId> refused;
  std::vector<SiteId> sites = plan.sites;
  sites.insert(sites.end(), accesses.begin(), accesses.end());
  sort_sites(sites);
  known_code().of(paths, sites, &refused);
  std::sort(refused.begin(), refused.end());
  std::erase_if(sites, [&](SiteId site) {
    return is_plain_access(site) && std::binary_search(refused.begin(), refused.end(), site & ~(kAccessMark | kAtomicAccessMark));
  });
  plan.code = code_of(paths, sites);
  set_points(plan, plan.points, std::move(sites));
  return refused;
}

std::shared_ptr<const CodePoints> code_of(const std::vector<std::string>& paths, const std::vector<SiteId>& sites) {
  if (std::none_of(sites.begin(), sites.end(), is_marked)) return nullptr;
  return known_code().of(paths, sites);
}

std::shared_ptr<const CodePoints> code_of(const Trace& trace, Strictness strictness) {
  const Trace::Data& data = trace.data();
  if (std::none_of(data.sites.begin(), data.sites.end(), is_marked)) return nullptr;
  std::shared_ptr<const CodePoints> code = data.code;
  if (!code) {
    std::vector<std::string> paths;
    for (const Module& m : data.modules) paths.push_back(m.path);
    code = code_of(paths, data.sites);
  } else if (strictness == Strictness::kStrict) {
    return code;
  }
  CodePoints points = *code;
  bool changed = false;
  for (CodePoint& point : points) {
    uint64_t from = 0;
    if (strictness == Strictness::kStrict && !is_access(point)) {
      const auto first = std::find_if(data.events.begin(), data.events.end(),
                                      [&](const Event& e) { return e.op == Op::kLoopIteration && e.site == point.site; });
      from = static_cast<uint64_t>(first - data.events.begin());
    }
    changed = changed || point.from != from;
    point.from = from;
  }
  return changed ? std::make_shared<const CodePoints>(std::move(points)) : code;
}

}  // namespace heddle::trace
