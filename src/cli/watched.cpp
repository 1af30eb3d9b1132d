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

bool RaceWatch::watch(const Execute& run, Look look) {
  Plan plan = base_;
  plan.detect |= kDetectRaces | kListHot;
  plan.tail = found.schedules == 0 ? PolicySpec{} : random_policy(seed_, found.schedules);
  ++found.schedules;
  for (size_t repeat = 0; repeat < kMostRepeats; ++repeat) {
    set_points(plan, PointKind::kSync, found.races.sites());
    const size_t known = regions_.with_losses();
    try {
      found.last = run(plan);
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInterrupted) throw;
      found.cut = true;
      return false;
    }
    const Trace& trace = *found.last;
    ++found.executions;
    if (!symbols_ || modules_ != trace.modules().size()) symbols_ = symbols_of(trace);
    modules_ = trace.modules().size();
    found.atomic.insert(trace.data().hooks.listed.begin(), trace.data().hooks.listed.end());
    const bool whole = regions_.with_losses() == known;
    const bool taught = found.races.add(trace, *symbols_, whole);
    if (whole && (!taught || look == Look::kQuick)) break;
  }
  return true;
}

WatchedRaces profile_watched(const Plan& base, uint64_t seed, const ProfileLimits& limits, const Execute& run, const SharedRegions& regions,
                             const std::function<bool(const Trace&)>& each) {
  RaceWatch watch(base, seed, regions);
  size_t nothing_new = 0;
  while (watch.found.schedules < limits.runs && nothing_new < limits.runs_without_news) {
    const size_t before = watch.found.known();
    if (!watch.watch(run, RaceWatch::Look::kSettled)) break;
    nothing_new = watch.found.known() == before ? nothing_new + 1 : 0;
    if (each && !each(*watch.found.last)) break;
  }
  return std::move(watch.found);
}

}  // namespace heddle::cli
