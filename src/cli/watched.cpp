#include "cli/watched.h"

#include "trace/error.h"
#include "trace/project.h"
#include "wire/disabled_hooks.h"

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

WatchedRaces profile_watched(const Plan& base, uint64_t seed, const ProfileLimits& limits, const Execute& run, const SharedRegions& regions,
                             const std::function<bool(const Trace&)>& each) {
  WatchedRaces found;
  std::unique_ptr<Symbols> symbols;
  size_t nothing_new = 0;
  while (found.schedules < limits.runs && nothing_new < limits.runs_without_news) {
    const size_t before = found.races.log().sites().size() + found.races.sites().size() + found.atomic.size();
    Plan plan = base;
    plan.detect |= kDetectRaces | kListHot;
    plan.tail = found.schedules == 0 ? PolicySpec{} : random_policy(seed, found.schedules);
    ++found.schedules;
    for (size_t repeat = 0; repeat < kMostRepeats; ++repeat) {
      set_points(plan, PointKind::kSync, found.races.sites());
      const size_t known = regions.count();
      std::optional<Trace> made;
      try {
        made = run(plan);
      } catch (const Error& error) {
        if (error.exit_code() != ExitCode::kInterrupted) throw;
        found.cut = true;
        return found;
      }
      const Trace& trace = *made;
      ++found.executions;
      if (!symbols || !found.last || found.last->modules().size() != trace.modules().size()) symbols = symbols_of(trace);
      found.last = trace;
      found.atomic.insert(trace.data().hooks.listed.begin(), trace.data().hooks.listed.end());
      const bool whole = regions.count() == known;
      if (!found.races.add(trace, *symbols, whole) && whole) break;
    }
    const size_t now = found.races.log().sites().size() + found.races.sites().size() + found.atomic.size();
    nothing_new = now == before ? nothing_new + 1 : 0;
    if (each && !each(*found.last)) break;
  }
  return found;
}

}  // namespace heddle::cli
