#include "cli/blind_spots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "symbols/functions.h"
#include "symbols/symbols_names.h"
#include "wire/disabled_hooks.h"

namespace heddle::cli {

namespace {

bool is_own(const Trace& trace, const Symbols& symbols, unsigned module) {
  const std::string& path = trace.modules()[module].path;
  return !symbols.is_system_library(module) && path.find("libheddle-") == std::string::npos && path.find('/') != std::string::npos;
}

using Modules = std::map<unsigned, ModuleFunctions>;  // the program's own

// A function without an access or a call has nothing to announce. It counts as instrumented where its compilation unit is.
class Instrumented {
 public:
  Instrumented(const Modules& modules, const std::vector<SiteId>& functions, const std::vector<SiteId>& called)
      : modules_(modules), functions_(functions) {
    for (SiteId hook : called) {
      if (const SiteId function = function_of(hook); function != kNoSite) hooked_.insert(function);
      if (const auto unit = unit_of(hook)) units_.insert({site_module(hook), *unit});
    }
  }

  bool operator()(SiteId function) const {
    if (hooked_.count(function) != 0) return true;
    const auto unit = unit_of(function);
    return unit && units_.count({site_module(function), *unit}) != 0;
  }

 private:
  std::optional<uint64_t> unit_of(SiteId site) const {
    const auto module = modules_.find(site_module(site));
    return module != modules_.end() ? module->second.unit(site_offset(site)) : std::nullopt;
  }

  SiteId function_of(SiteId site) const {
    const auto next = std::upper_bound(functions_.begin(), functions_.end(), site);
    return next == functions_.begin() || site_module(*std::prev(next)) != site_module(site) ? kNoSite : *std::prev(next);
  }

  const Modules& modules_;
  const std::vector<SiteId>& functions_;  // sorted
  std::set<SiteId> hooked_;
  std::set<std::pair<uint32_t, uint64_t>> units_;
};

std::string name_of(const Symbols& symbols, SiteId function) {
  const std::vector<Frame> frames = symbols.frames(site_module(function), site_offset(function));
  const bool known = !frames.empty() && !frames.back().function.empty();
  return known ? pretty_function(frames.back().function) : symbols.describe(site_module(function), site_offset(function));
}

}  // namespace

BlindSpots blind_spots(const Trace& seen, const Symbols& symbols, const Plan& base, const Execute& run) {
  BlindSpots spots;
  Modules modules;
  std::vector<SiteId> functions;
  for (unsigned i = 0; i < seen.modules().size(); ++i) {
    if (!is_own(seen, symbols, i)) continue;
    if (!seen.modules()[i].instrumented) spots.plain_modules.push_back(seen.modules()[i].path);
    const auto& module = modules.emplace(i, ModuleFunctions(seen.modules()[i].path)).first->second;
    for (uint64_t offset : module.starts()) functions.push_back(make_site(i, offset));
  }
  const HookCounts& h = seen.data().hooks;
  if (h.accesses + h.atomics + h.entries == 0)
    spots.warnings.emplace_back("no memory access of the program was seen: it runs no instrumented code");
  for (unsigned i = 0; i < seen.modules().size(); ++i) {
    if (seen.modules()[i].instrumented && is_own(seen, symbols, i) && !symbols.has_debug_info(i))
      spots.warnings.push_back(fmt::format("{} has no debug information: places in it are shown as offsets", seen.modules()[i].path));
  }
  if (functions.empty()) return spots;

  Plan plan = base;
  plan.points = PointKind::kSync;
  plan.detect = kListExecuted;
  plan.sites = functions;
  plan.points_id = mix(plan.points_id, kListExecuted);
  const Trace counted = run(plan);
  std::vector<SiteId> entered;
  std::vector<SiteId> called;
  for (SiteId site : counted.data().hooks.listed) {
    (std::binary_search(functions.begin(), functions.end(), site) ? entered : called).push_back(site);
  }
  const Instrumented instrumented(modules, functions, called);
  spots.executed = entered.size();
  for (SiteId function : entered) {
    if (!instrumented(function)) spots.plain_functions.push_back(name_of(symbols, function));
  }
  std::sort(spots.plain_functions.begin(), spots.plain_functions.end());
  return spots;
}

}  // namespace heddle::cli
