#include "cli/watched.h"

#include "trace/project.h"

namespace heddle::cli {

namespace {

// A region or an instruction that is learnt may lead to others; not to many.
constexpr size_t kMostRepeats = 8;

std::unique_ptr<Symbols> symbols_of(const Trace& trace) {
  std::vector<std::string> paths;
  for (const Module& m : trace.modules()) paths.push_back(m.path);
  return std::make_unique<Symbols>(paths);
}

}  // namespace

WatchedRaces profile_watched(const Plan& base, uint64_t seed, size_t schedules, const Execute& run, const SharedRegions& regions,
                             const std::function<bool(const Trace&)>& each) {
  WatchedRaces found;
  std::unique_ptr<Symbols> symbols;
  while (found.schedules < schedules) {
    Plan plan = base;
    plan.detect = kDetectRaces;
    plan.tail = found.schedules == 0 ? PolicySpec{} : random_policy(seed, found.schedules);
    ++found.schedules;
    for (size_t repeat = 0; repeat < kMostRepeats; ++repeat) {
      set_points(plan, PointKind::kSync, found.races.sites());
      const size_t known = regions.count();
      const Trace trace = run(plan);
      ++found.executions;
      if (!symbols || !found.last || found.last->modules().size() != trace.modules().size()) symbols = symbols_of(trace);
      found.last = trace;
      const bool whole = regions.count() == known;
      if (!found.races.add(trace, *symbols, whole) && whole) break;
    }
    if (each && !each(*found.last)) break;
  }
  return found;
}

}  // namespace heddle::cli
