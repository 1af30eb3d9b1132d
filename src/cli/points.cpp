#include "cli/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "symbols/instrumentation.h"
#include "trace/error.h"
#include "trace/plain_points.h"
#include "trace/project.h"
#include "wire/disabled_hooks.h"

namespace heddle::cli {

// Threads change often, but not at every access: both long and short stretches are seen.
PolicySpec random_policy(uint64_t seed, size_t run) {
  PolicySpec tail{};
  tail.kind = PolicyKind::kRandom;
  tail.seed = mix(seed, run);
  tail.stay = static_cast<uint32_t>(run % 3) * 24'000;
  return tail;
}

namespace {

// One run shows which hooks are called often for nothing.
void list_disabled(const Plan& base, const Execute& run, PointSet* set) {
  Plan plan = base;
  plan.detect = kListHot;
  set->put_in(plan);
  const Trace trace = run(plan);
  ++set->executions;
  for (SiteId site : trace.data().hooks.listed) set->sites.push_back(disabled_hook(site));
  std::sort(set->sites.begin(), set->sites.end());
}

}  // namespace

void PointSet::put_in(Plan& plan) const {
  set_points(plan, points, sites);
  plan.code = code;
}

PointSet points_of(LearntPoints learnt, PointKind kind) {
  PointSet set;
  set.executions = learnt.executions + learnt.native;
  if (!learnt.sites.empty()) {
    set.points = kind;
    set.sites = learnt.sites;
    set.code = code_of(learnt.paths, learnt.sites);
  }
  set.learnt = std::move(learnt);
  return set;
}

PointSet profile_races(const Plan& base, uint64_t seed, const ProfileLimits& limits, const Execute& run,
                       const std::function<bool(const Trace&)>& each) {
  PointSet set;
  set.points = PointKind::kRacy;
  size_t nothing_new = 0;
  std::set<SiteId> hot;
  while (set.executions < limits.runs && nothing_new < limits.runs_without_news) {
    Plan plan = base;
    plan.detect = kDetectRaces | kListHot;
    plan.tail = set.executions == 0 ? PolicySpec{} : random_policy(seed, set.executions);
    set.put_in(plan);
    const Trace trace = run(plan);
    ++set.executions;
    hot.insert(trace.data().hooks.listed.begin(), trace.data().hooks.listed.end());
    nothing_new = set.races.add(trace) ? 0 : nothing_new + 1;
    set.sites = set.races.sites(hot);
    set.last = trace;
    if (each && !each(trace)) break;
  }
  for (SiteId site : set.sites) hot.erase(site);
  for (SiteId site : hot) set.sites.push_back(disabled_hook(site));
  return set;
}

PointSet choose_points(const Target& target, std::optional<PointKind> wanted, const Plan& base, uint64_t seed, const Execute& run,
                       const Learn& learn) {
  PointSet set;
  switch (build_of(target.program).instrumentation) {
    case Instrumentation::kStaticDetector:
      set.note =
          "the program has a race detector of its own inside: only its synchronisation calls are scheduling points, and each run is "
          "a new process";
      break;
    case Instrumentation::kNone:
      // A script's program is not known here: what the user says counts.
      if (target.script && wanted) {
        set.points = *wanted;
      } else if (wanted && *wanted != PointKind::kSync) {
        const PointKind kind = *wanted == PointKind::kAtomics ? PointKind::kAtomics : PointKind::kRacy;
        set = points_of(learn(kind), kind);
        if (*wanted != kind) set.note = kOnlyRacing;
      }
      break;
    case Instrumentation::kPresent:
      if (!wanted || *wanted == PointKind::kRacy) return profile_races(base, seed, {}, run);
      set.points = *wanted;
      if (*wanted != PointKind::kAll) list_disabled(base, run, &set);
      break;
  }
  return set;
}

}  // namespace heddle::cli
