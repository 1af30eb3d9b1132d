#include "cli/debugging.h"

#include "cli/origins.h"
#include "cli/requests.h"
#include "cli/session.h"
#include "store/saved_origins.h"

namespace heddle::cli {

namespace {

constexpr size_t kMostFollowed = 200'000;  // events: under Valgrind a longer run takes minutes, which only `heddle why` may

constexpr size_t kLongRun = 20'000;  // events: what is left out of such a run makes every later step shorter

// Without a limit of time for simplifying nothing hangs on a clock: the same seed tells the same story.
double limited(const DebugOptions& options, double seconds) { return options.simplify.seconds > 0 ? seconds : 0; }

// Which lines led to the failure. Where Valgrind cannot tell, the story goes without.
void save_origins(const Bug& bug, Campaign& campaign, const Trace& best) {
  const OriginReport report = origins_of(campaign, best, {});
  const BugStore store;
  if (report.found()) {
    store.save_text(bug.id, kOriginsFile, encode_origins(report.lines));
  } else {
    store.remove(bug.id, kOriginsFile);
  }
}

}  // namespace

Debugged debug_failure(Campaign& campaign, const DebugOptions& options, const Trace& failing, Bug& bug, Saving& saving,
                       Progress& progress) {
  RequestsLeft requests;
  if (!options.no_reduce) requests = leave_out_requests(campaign, failing, nullptr, limited(options, options.request_seconds), 0, progress);
  const Trace& start = requests.best ? *requests.best : failing;
  Debugged done;
  const auto reduce_run = [&](const Trace& trace) {
    if (options.no_reduce || requests.nothing_may_go || stop_flag() || (trace.counts().threads < 2 && !requests.best)) return;
    if (trace.counts().threads > 1) done.reduced = reduce_failure(campaign, trace, limited(options, options.reduce_seconds), progress);
    if (!done.reduced && requests.best) done.reduced = as_it_is(trace);
    if (!done.reduced) return;
    if (&trace == &start && !stop_flag())
      done.reduced->best = simplify_failure(campaign, done.reduced->best, options.simplify, progress).result.best;
    const Trace& whole = requests.best ? failing : trace;
    done.reduction = reduction_of(campaign, whole, *done.reduced);
    tell_requests(requests, whole, *done.reduction);
    saving.attempt([&] { save_reduced(bug, *done.reduced, *done.reduction); });
  };
  // What is left out of a long run is left out of the run as it was found, and the rest is simplified; a short one is simplified first.
  const bool is_long = start.events().size() >= kLongRun;
  if (is_long) reduce_run(start);
  done.simplified = simplify_failure(campaign, start, options.simplify, progress);
  saving.attempt([&] { save_simplified(bug, campaign, done.simplified); });
  const Trace& best = done.simplified.result.best;
  if (!is_long) reduce_run(best);
  if (!options.no_isolate && !stop_flag() && best.switches() > 0) {
    IsolateOptions isolate_options;
    isolate_options.passing = done.simplified.passing;
    isolate_options.seconds = limited(options, options.isolate_seconds);
    isolate_options.seed = options.seed;
    done.isolated = isolate_failure(campaign, best, isolate_options);
    if (done.isolated->isolated) saving.attempt([&] { save_isolated(bug, *done.isolated); });
  }
  std::optional<Trace> passing = done.simplified.passing;
  if (done.isolated && done.isolated->isolated) passing = done.isolated->passing;
  TestedCause tested;
  if (!options.no_isolate && !stop_flag() && best.switches() > 0)
    tested = test_cause(campaign, best, passing, limited(options, options.cause_seconds), options.seed, progress);
  saving.attempt([&] { save_cause(bug, tested, passing.has_value()); });
  if (!passing) passing = tested.passing;
  if (!stop_flag()) saving.attempt([&] { save_stacks(bug, campaign, best, passing); });
  if (!options.no_slice && !stop_flag() && best.events().size() <= kMostFollowed) {
    progress.show("following values backwards");
    saving.attempt([&] { save_origins(bug, campaign, best); });
    progress.clear();
  }
  done.loaded = saving.saved() ? load_story(bug.id) : make_story(bug, best, passing, tested.cause, "");
  saving.attempt([&] { save_page(done.loaded); });
  return done;
}

}  // namespace heddle::cli
