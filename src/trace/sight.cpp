#include "trace/sight.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/condition.h"
#include "symbols/symbols_names.h"
#include "trace/plain_points.h"
#include "trace/project.h"
#include "wire/disabled_hooks.h"

namespace heddle::trace {

namespace {

bool is_runtime_library(const std::string& name) {
  for (const char* start :
       {"linux-vdso.so", "linux-gate.so", "[vdso]", "ld-linux", "libc.so", "libm.so", "libmvec.so", "libdl.so", "librt.so", "libpthread.so",
        "libstdc++.so", "libc++.so", "libc++abi.so", "libunwind.so", "libgcc_s.so", "libatomic.so", "libtsan.so", "libheddle-"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

// What is no file is not the program's code: the kernel's own, or a toy.
bool is_own(const Module& module) { return module.path.find('/') != std::string::npos && !is_runtime_library(base_name(module.path)); }

}  // namespace

std::vector<std::string> plain_modules(const Trace& trace) {
  std::vector<std::string> plain;
  for (const Module& module : trace.modules()) {
    if (!module.instrumented && is_own(module)) plain.push_back(module.path);
  }
  // More may have been loaded than the table holds.
  if (trace.modules().size() >= kMaxModules) plain.emplace_back("a library that was loaded late");
  return plain;
}

std::string unseen(const Trace& trace) {
  if (std::none_of(trace.modules().begin(), trace.modules().end(), is_own)) return {};
  const std::vector<std::string> plain = plain_modules(trace);
  if (!plain.empty()) {
    const std::string more = plain.size() > 1 ? fmt::format(" and {} more", plain.size() - 1) : "";
    return fmt::format("memory accesses of {}{} are not seen", base_name(plain.front()), more);
  }
  switch (trace.data().points) {
    case PointKind::kRacy:
    case PointKind::kAll: return {};
    case PointKind::kSync:
    case PointKind::kAtomics:
    case PointKind::kFunctions: break;
  }
  return "memory accesses are not among the points";
}

bool has_timed_operations(const Trace& trace) {
  for (const Event& e : trace.events()) {
    if (has(e.op, kTimed)) return true;
  }
  return std::any_of(trace.threads().begin(), trace.threads().end(), [](const Thread& t) { return has(t.pending, kTimed); });
}

size_t early_timeouts(const Trace& trace) {
  return static_cast<size_t>(std::ranges::count_if(trace.events(), [](const Event& e) { return (e.flags & kEarly) != 0; }));
}

bool before_its_time(const Event& e) { return (e.flags & kEarly) != 0 || ((e.flags & kSpurious) != 0 && model::is_condition_wait(e.op)); }

size_t timing_choices(const Trace& trace) { return static_cast<size_t>(std::ranges::count_if(trace.events(), before_its_time)); }

void watch(Plan& plan) {
  if (plan.points != PointKind::kRacy) return;
  plan.detect |= kDetectRaces;
  if (plan.sites.empty() || !is_disabled_hook(plan.sites.back())) return;
  std::vector<SiteId> sites = plan.sites;
  std::erase_if(sites, is_disabled_hook);
  set_points(plan, PointKind::kRacy, std::move(sites));
}

std::vector<SiteId> open_sites(const Trace& trace) {
  std::vector<SiteId> open;
  if (trace.data().points != PointKind::kRacy) return open;
  const std::vector<SiteId>& points = trace.data().sites;
  for (const RaceRow& race : trace.data().races) {
    if (race.kind != RaceKind::kConfirmed) continue;
    for (const RaceSide* side : {&race.first, &race.second}) {
      const bool plain_access = side->op == Op::kLoad || side->op == Op::kStore || side->op == Op::kLoadStore;
      if (plain_access && !std::binary_search(points.begin(), points.end(), side->site)) open.push_back(side->site);
    }
  }
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  return open;
}

bool starts_others(const Trace& trace) {
  return std::any_of(trace.events().begin(), trace.events().end(), [](const Event& e) { return e.op == Op::kFork; });
}

std::string open_points(const Trace& trace) {
  if (starts_others(trace)) return kOthersAct;
  if (has_plain_accesses(trace.data().sites)) return kLearntPoints;
  return open_sites(trace).empty() ? "" : "accesses race that are not among the points";
}

}  // namespace heddle::trace
