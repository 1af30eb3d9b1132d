#include "cli/pipeline.h"
#include "cli/anchoring.h"
#include "cli/print.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include "store/saved_cause.h"
#include "store/saved_origins.h"
#include "store/saved_stacks.h"
#include "trace/error.h"

namespace heddle::cli {

namespace {

// Passing runs met on the way, the newest kept while memory allows: one of them is the nearest neighbour of the failure.
class PassingRuns {
 public:
  void add(const Trace& trace) {
    events_ += trace.events().size();
    traces_.push_back(trace);
    while (events_ > kMostEvents && traces_.size() > 1) {
      events_ -= traces_.front().events().size();
      traces_.pop_front();
    }
  }
  std::optional<Trace> nearest(const Trace& failing) const {
    const Trace* best = nullptr;
    size_t longest = 0;
    for (const Trace& trace : traces_) {
      const size_t common = std::min(first_difference(failing, trace), trace.events().size());
      if (best != nullptr && common < longest) continue;
      best = &trace;
      longest = common;
    }
    return best != nullptr ? std::optional(*best) : std::nullopt;
  }

 private:
  static constexpr size_t kMostEvents = 2'000'000;
  std::deque<Trace> traces_;
  size_t events_ = 0;
};

}  // namespace

namespace {

// The simplest of the accepted traces that replays; the start where none does. What was proved was proved of the simplest.
void keep_what_replays(Campaign& campaign, const Trace& start, Simplified* simplified) {
  SimplifyResult& result = simplified->result;
  std::string why;
  while (!result.accepted.empty() && !stop_flag()) {
    const Confirmation confirmation = campaign.confirm(result.accepted.back());
    if (confirmation.believed) break;
    if (why.empty()) why = confirmation.why_not;
    ++simplified->refuted;
    result.accepted.pop_back();
  }
  if (simplified->refuted == 0) return;
  const bool none = result.accepted.empty();
  result.best = none ? start : result.accepted.back();
  result.minimal = "local";
  result.assumed.clear();
  simplified->fallback =
      fmt::format("{} simpler schedule{} did not replay ({}): {}", simplified->refuted, simplified->refuted == 1 ? "" : "s", why,
                  none ? "this is the one that was found" : "this is the simplest that does");
  result.certificate = simplified->fallback;
}

}  // namespace

void SimplifyChoice::add_to(Verb& verb, bool own_limits) {
  std::string list = "how to simplify: default, or names of passes joined by +";
  if (own_limits) {
    for (const simplify::PassRow& row : simplify::passes()) list += fmt::format("\n  {:<12}{}", row.name, row.words);
  } else {
    list += "; heddle simplify --help lists them";
  }
  verb.text("--algorithm", algorithm, list, "NAME");
  if (!own_limits) {
    verb.number("--simplify-executions", executions, "limit of runs for simplifying, 0 for none");
    verb.seconds("--simplify-time", seconds, "limit of seconds for simplifying, 0 for none");
  }
  verb.number("--certificate", certificate, "limit of runs for the proof that no schedule with fewer preemptions fails, 0 for no proof");
  verb.flag("--assume-race-free", race_free,
            "skip equivalent schedules although not all memory accesses are seen; the report then says that nothing is proved");
}

Simplified simplify_failure(Campaign& campaign, const Trace& failing, const SimplifyChoice& choice, Progress& progress,
                            const Trace* start) {
  PassingRuns passing;
  SimplifyOptions options;
  options.algorithm = choice.algorithm;
  options.max_executions = choice.executions;
  options.seconds = choice.seconds;
  if (choice.seconds == 0) options.certificate_seconds = 0;  // nothing may hang on a clock
  options.certificate_executions = choice.certificate;
  options.assume_race_free = choice.race_free;
  options.suffix = choice.suffix;
  options.stop = &stop_flag();
  options.limits.watchdog_ms = campaign.base().limits.watchdog_ms;
  options.progress = [&](const SimplifyProgress& p) {
    progress.show(fmt::format("simplify: {}, {} runs ({})", describe_counts(p.counts), p.executions, p.pass));
  };
  options.seen = [&](const Trace& trace) {
    if (!campaign.fails(trace) && !is_inconclusive(trace.outcome())) passing.add(trace);
  };
  Simplified simplified;
  try {
    simplified.result = simplify::simplify(
        start != nullptr ? *start : failing, [&](const Trace& trace) { return same_bug(failing, trace); }, campaign.pool(), options);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    simplified.result.best = start != nullptr ? *start : failing;
    simplified.result.finished = false;
  }
  progress.clear();
  if (!stop_flag()) keep_what_replays(campaign, start != nullptr ? *start : failing, &simplified);
  simplified.passing = passing.nearest(simplified.result.best);
  return simplified;
}

Json json_simplify(const Simplified& simplified) {
  const SimplifyResult& result = simplified.result;
  Json operations = Json::array();
  for (const OperationCount& o : result.operations) {
    operations.push_back({{"name", o.name},
                          {"tried", o.tried},
                          {"accepted", o.accepted},
                          {"switches_removed", o.switches_removed},
                          {"preemptions_removed", o.preemptions_removed}});
  }
  return {{"executions", result.executions},
          {"certificate_executions", result.certificate_executions},
          {"executions_in_all", result.executions + result.certificate_executions},
          {"seconds", result.seconds},
          {"certificate_seconds", result.certificate_seconds},
          {"minimal", result.minimal},
          {"rounds", result.rounds},
          {"cached", result.cached},
          {"certificate", result.certificate},
          {"assumed", result.assumed},
          {"refuted", simplified.refuted},
          {"fallback", simplified.fallback},
          {"finished", result.finished},
          {"operations", operations}};
}

void print_notes(const Campaign& campaign, const Trace* trace) {
  for (const std::string& note : const_cast<Campaign&>(campaign).pool().notes()) print_err("heddle: {}\n", note);
  if (trace == nullptr) return;
  for (const Note& note : trace->notes()) print_err("heddle: not controlled: {} ({} times)\n", note.text, note.count);
}

void Saving::attempt(const std::function<void()>& save) {
  if (failed_) return;
  try {
    save();
  } catch (const Error& error) {
    failed_ = true;
    print_err("heddle: not saved: {}\n", error.what());
  }
}

void save_simplified(Bug& bug, Campaign& campaign, const Simplified& simplified) {
  const BugStore store;
  const SimplifyResult& result = simplified.result;
  bug.simplify_executions = result.executions;
  bug.simplify_seconds = result.seconds;
  bug.minimal = result.minimal;
  bug.certificate = result.certificate;
  bug.simplified = result.best.counts();
  // What was learnt about another schedule does not hold for this one.
  for (const char* stale : {kCauseFile, kFailingStacks, kPassingStacks, kOriginsFile}) store.remove(bug.id, stale);
  store.save_trace(bug.id, kSimplifiedTrace, result.best);
  if (simplified.passing) store.save_trace(bug.id, kPassingTrace, *simplified.passing);
  save_anchors(store, bug.id, campaign, result.best);
  store.save(bug);
}

std::vector<std::string> module_paths(const Trace& trace) {
  std::vector<std::string> paths;
  for (const Module& module : trace.modules()) paths.push_back(module.path);
  return paths;
}

}  // namespace heddle::cli
