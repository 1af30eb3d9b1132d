#include "cli/plain_anchors.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/pipeline.h"
#include "symbols/machine_code.h"
#include "symbols/symbols_names.h"
#include "trace/plain_points.h"
#include "trace/similar_text.h"
#include "wire/disabled_hooks.h"

namespace heddle::cli {

namespace {

constexpr size_t kMostCandidates = 2000;  // beside those that are learnt, less than a process takes
constexpr double kLike = 0.6;

// What the schedule's accesses look like in the source.
class Wanted {
 public:
  Wanted(const Anchors& anchors, AccessesLike like) {
    const bool guarded = like == AccessesLike::kGuarded;
    if (guarded) texts_.insert(anchors.held.begin(), anchors.held.end());
    for (const PlacedOperation& o : anchors.operations) {
      if (!o.place.file.empty()) files_.insert(o.place.file);
      if (!guarded && !is_memory(o.op)) continue;
      if (!o.place.function.empty()) functions_.insert(o.place.function);
      if (!o.place.text.empty()) texts_.insert(o.place.text);
    }
  }
  // Others are not looked at instruction by instruction.
  bool file(const std::string& path) const { return files_.contains(std::filesystem::path(path).filename().string()); }
  bool place(const SourcePlace& p) const {
    if (functions_.contains(p.function)) return true;
    return !p.text.empty() &&
           std::any_of(texts_.begin(), texts_.end(), [&](const std::string& t) { return similarity(t, p.text) >= kLike; });
  }

 private:
  std::set<std::string> files_, functions_, texts_;
};

}  // namespace

std::vector<SiteId> accesses_like(const Anchors& anchors, const PlacedTrace& run, AccessesLike like) {
  const Wanted wanted(anchors, like);
  std::vector<SiteId> sites;
  const auto& modules = run.trace().modules();
  for (uint32_t m = 0; m < modules.size(); ++m) {
    const std::string& path = modules[m].path;
    if (path.find('/') == std::string::npos || is_system_library_path(path) || modules[m].instrumented) continue;
    const ModuleCode code(path);
    for (const ModuleCode::Range& range : code.functions()) {
      const auto frames = run.symbols().frames(m, range.begin);
      if (frames.empty() || !wanted.file(frames.back().file)) continue;
      const auto function = code.function(range.begin);
      if (!function) continue;
      for (const Instruction& i : function->instructions) {
        if (!may_be_shared(i) || !wanted.place(run.place({make_site(m, i.offset)}))) continue;
        sites.push_back(plain_access(make_site(m, i.offset)));
        if (sites.size() == kMostCandidates) return sites;
      }
    }
  }
  return sites;
}

void add_matched(const Anchors& anchors, const Reanchoring& matching, const PlacedTrace& run, std::vector<SiteId>* sites) {
  for (uint32_t old : anchors.sites) {
    for (SiteId site : matching.sites(old, run)) {
      const bool known = std::any_of(sites->begin(), sites->end(), [&](SiteId s) { return without_hook_bit(s) == site; });
      if (!known) sites->push_back(plain_access(site));
    }
  }
}

Trace moved_to(const Trace& trace, const std::string& from, const std::string& to) {
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::weakly_canonical(from, failure);
  Trace::Data data = trace.data();
  for (Module& m : data.modules) {
    if (m.path == from || (!failure && m.path == real)) m.path = to;
  }
  data.code = nullptr;
  return Trace(std::move(data));
}

void put_in_code(Campaign& campaign, Plan& plan) {
  if (plan.code || (accesses_among(plan.sites).empty() && loops_among(plan.sites).empty())) return;
  plan.code = code_of(module_paths(campaign.pool().run_now(campaign.base()).trace), plan.sites);
}

}  // namespace heddle::cli
