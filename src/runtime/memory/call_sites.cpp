#include "runtime/memory/call_sites.h"

#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/engine/names.h"
#include "wire/disabled_hooks.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kTable = 1 << 16;
constexpr uint32_t kFull = kTable - kTable / 8;
HEDDLE_APART CallSite g_call_sites[kTable];
uint32_t g_call_site_count;
CallSite g_crowded;  // answers for a program with more sites than the table has room for

PointKind g_points;
const SiteId* g_sites;  // of the plan, sorted: racing ones, then those of disabled hooks
uint32_t g_site_count;

bool is_listed(SiteId site) {
  uint32_t low = 0;
  uint32_t high = g_site_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (g_sites[middle] < site) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < g_site_count && g_sites[low] == site;
}

bool is_point(SiteId site, HookKind kind) {
  switch (g_points) {
    case PointKind::kSync: return false;
    case PointKind::kAtomics: return kind == HookKind::kAtomic;
    case PointKind::kRacy: return kind == HookKind::kAtomic || (kind == HookKind::kPlain && is_listed(site));
    case PointKind::kAll: return kind == HookKind::kAtomic || kind == HookKind::kPlain;
    case PointKind::kFunctions: return kind == HookKind::kAtomic || kind == HookKind::kEntry;
  }
  return false;
}

}  // namespace

bool plan_lists(SiteId site) { return is_listed(site); }

void install_point_set(const PlanHeader& header, const SiteId* sites) {
  if (header.points != g_points && g_call_site_count > 0) {
    memset(g_call_sites, 0, sizeof g_call_sites);
    g_call_site_count = 0;
  }
  g_points = header.points;
  g_sites = sites;
  g_site_count = header.site_count;
}

CallSite* call_site(const void* pc, HookKind kind) {
  const auto key = reinterpret_cast<uintptr_t>(pc);
  uint32_t at = static_cast<uint32_t>((key * 0x9E3779B97F4A7C15ull) >> 48);
  for (;;) {
    CallSite& entry = g_call_sites[at];
    if (entry.pc == key) return &entry;
    if (entry.pc == 0) break;
    at = (at + 1) % kTable;
  }
  const SiteId site = caller_site(pc);
  CallSite* entry = &g_call_sites[at];
  if (g_call_site_count < kFull) {
    ++g_call_site_count;
  } else {
    entry = &g_crowded;
  }
  const bool point = is_point(site, kind);
  *entry = {key, site, 0, point, !point && is_listed(disabled_hook(site)), false, false};
  return entry;
}

}  // namespace heddle::rt
