// long: the steps of one verification share what they have learnt of the new build.
#include "cli/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "cli/closed_check.h"
#include "cli/finding.h"
#include "cli/pipeline.h"
#include "cli/plain_anchors.h"
#include "cli/timed_waits.h"
#include "cli/vanished_check.h"
#include "cli/watched_build.h"
#include "search/around.h"
#include "search/make.h"
#include "symbols/instrumentation.h"
#include "trace/plain_points.h"
#include "trace/project.h"
#include "trace/sight.h"
#include "wire/event_stacks.h"

namespace heddle::cli {

namespace {

constexpr uint64_t kMostScouted = 200'000;  // events of a run in which every access is a point
constexpr uint32_t kEarlyForSleeps = 2;     // time-outs that may come early where a change waits for time to pass

CampaignOptions options_for(const VerifySubject& subject, const VerifyLimits& limits) {
  CampaignOptions options;
  options.jobs = limits.jobs;
  options.carrier = limits.carrier.empty() ? subject.bug.carrier : limits.carrier;
  options.files = subject.files;
  options.expect_exit = subject.predicates.expect_exit;
  return options;
}

class Verification {
 public:
  Verification(const VerifySubject& subject, const Target& target, const VerifyLimits& limits, Progress& progress)
      : subject_(subject),
        limits_(limits),
        progress_(progress),
        options_(options_for(subject, limits)),
        campaign_(target, options_, subject.predicates, subject.input),
        matching_(subject.anchors),
        run_([this](const Plan& plan) { return campaign_.pool().run_now(plan).trace; }) {}

  Verified go() {
    const Deadline::Scope limit(campaign_.pool().deadline(), limits_.seconds);
    try {
      if (!same_build()) work();
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInterrupted) throw;
      if (stop_flag()) cannot_tell("it was interrupted");
    }
    progress_.clear();
    decide();
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  void work() {
    if (!scout()) return;
    replay();
    if (ended()) return;
    around_the_anchors();
    if (ended() || limits_.only_anchors) return;
    sample();
    if (ended()) return;
    enumerate();
    if (ended()) return;
    watch_accesses();
    if (ended()) return;
    search();
  }

  // The very build of the bug: what is saved replays as it is, or nothing can be told.
  bool same_build() {
    if (subject_.bug.build_id.empty() || campaign_.build_id() != subject_.bug.build_id) return false;
    Plan plan = subject_.plan;
    plan.strictness = Strictness::kStrict;
    plan.limits = campaign_.base().limits;
    plan.input_id = campaign_.input().id();
    plan.inputs = nullptr;
    put_in_code(campaign_, plan);
    const Trace again = execute(plan);
    result_.anchors.exact = count_anchors();
    if (name(again.outcome().kind) == subject_.bug.kind && signature(again) == subject_.bug.signature) {
      fail(again, true, "replay");
    } else {
      cannot_tell("this is the build in which the bug was found, and its schedule does not replay");
    }
    add("replay", "the saved schedule, strictly: this is the build in which the bug was found", 1);
    return true;
  }
  size_t count_anchors() const {
    return static_cast<size_t>(
        std::count_if(subject_.anchors.ends.begin(), subject_.anchors.ends.end(), [](const Anchor& a) { return !a.after.empty(); }));
  }

  bool scout() {
    progress_.show("looking at the new build");
    base_ = campaign_.base();
    if (subject_.bug.env_seed != 0) base_.env_seed = subject_.bug.env_seed;
    // A schedule with a switch right after an operation that lets others go on is not there without such points.
    const auto& anchored = subject_.anchors.operations;
    if (std::any_of(anchored.begin(), anchored.end(), [](const PlacedOperation& o) { return o.op == Op::kReleased; }))
      set_points(base_, base_.points, {kAfterReleases});
    const bool instrumented = campaign_.learns_points(options_);
    learns_ = instrumented;
    Plan plan = base_;
    plan.detect = kDetectStacks;
    if (instrumented) {
      set_points(plan, PointKind::kAll, {});
      plan.limits.events = std::min(plan.limits.events, kMostScouted);
    }
    const Trace first = execute(plan);
    const PlacedTrace placed = placer_.place(first);
    matching_.learn(placed);
    if (campaign_.pool().threadless() || first.threads().size() < 2) {
      result_.code_is_there = false;
      cannot_tell("the new build starts no threads: nothing of the schedule can be tried");
      return false;
    }
    if (first.outcome().kind == OutcomeKind::kCannotControl) {
      cannot_tell(describe_failure(first));
      return false;
    }
    if (instrumented) choose_points(placed);
    if (!instrumented && subject_.anchors.points != PointKind::kSync && !subject_.anchors.sites.empty()) {
      if (has_plain_accesses(subject_.plan.sites)) {
        choose_plain_points(placed);
      } else {
        cannot_tell("the bug was found between memory accesses, which this build does not show: build it with heddle-cc");
      }
    }
    learn(first);
    if (!instrumented) consider(first, "replay");
    if (!unseen_.empty()) each_other_schedule(campaign_, base_, [this](const Trace& trace) { learn(trace); });
    return true;
  }

  // The racing accesses of this build, and those that the schedule was about, whether they still race or not.
  void choose_points(const PlacedTrace& everything) {
    campaign_.choose_points(options_);
    std::vector<SiteId> sites = campaign_.base().sites;
    for (uint32_t old : subject_.anchors.sites) {
      const std::vector<SiteId> now = matching_.sites(old, everything);
      sites.insert(sites.end(), now.begin(), now.end());
    }
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    set_points(base_, PointKind::kRacy, std::move(sites));
  }

  // The same in a plain program: what races and is atomic is learnt anew, and what the schedule was about is looked for in the code.
  void choose_plain_points(const PlacedTrace& placed) {
    progress_.show("learning which instructions of the new build are points");
    // A test asks about the schedule alone, and must not depend on what some runs show.
    if (!limits_.only_anchors) campaign_.learn_at_once(options_);
    const auto& learnt = campaign_.learnt();
    if (learnt && !learnt->why_not.empty())
      cannot_tell(fmt::format("the bug was found between instructions, and this build could not be watched: {}", learnt->why_not));
    std::vector<SiteId> sites = learnt ? learnt->sites : std::vector<SiteId>();
    const std::vector<std::string> paths = module_paths(placed.trace());
    Plan all = base_;
    all.detect = kDetectStacks;
    all.limits.events = std::min(all.limits.events, kMostScouted);
    set_points(all, PointKind::kRacy, base_.sites);
    add_accesses(all, paths, accesses_like(subject_.anchors, placed));
    const PlacedTrace everything = placer_.place(execute(all));
    // What races here may be more than a few runs have shown.
    all.detect = base_.detect;
    if (!limits_.only_anchors && learnt) all_accesses_ = all;
    matching_.learn(everything);
    add_matched(subject_.anchors, matching_, everything, &sites);
    set_points(base_, PointKind::kRacy, base_.sites);
    add_accesses(base_, paths, sites);
    result_.instructions = accesses_among(base_.sites).size();
  }

  void replay() {
    progress_.show("fitting the schedule to the new build");
    result_.anchors = reanchor(subject_.anchors, matching_, base_, run_, placer_);
    const Reanchored& r = result_.anchors;
    result_.executions += r.executions;
    learn(r.replay);
    consider(r.replay, "replay");
    look_at_time();
    add("replay", fmt::format("the schedule at its anchors ({} exact, {} moved, {} lost)", r.exact, r.moved, r.lost), r.executions);
  }

  // A change that makes threads wait for time to pass only makes the failure rare. Such waits may end early then.
  void look_at_time() {
    early_ = subject_.anchors.early_timeouts;
    const auto wait = added_wait(subject_, options_, matching_);
    if (!wait) return;
    early_ = std::max(early_, kEarlyForSleeps);
    cannot_tell(fmt::format("the new build waits for time to pass where the old one did not ({}): an order by time proves nothing",
                            operation_words(*wait)));
  }

  SearchOptions search_options(uint64_t salt) const {
    SearchOptions search;
    search.seed = mix(limits_.seed, salt);
    search.base = base_;
    search.early_timeouts = early_;
    search.fails = [this](const Trace& trace) { return campaign_.fails(trace); };
    return search;
  }
  FindOptions find_options(uint64_t executions, double share) const {
    FindOptions find;
    find.executions = executions;
    find.seconds = limits_.seconds > 0 ? std::max(0.5, (limits_.seconds - seconds()) * share) : 0;
    find.stop = &stop_flag();
    find.fails = [this](const Trace& trace) { return campaign_.fails(trace); };
    return find;
  }

  void around_the_anchors() {
    if (result_.anchors.sites.empty()) return;
    progress_.show("enumerating the schedules around the anchors");
    SearchOptions search = search_options(1);
    search.preempt_at = result_.anchors.sites;
    CheckOptions check_options;
    check_options.bound = std::max(1u, subject_.anchors.preemptions);
    check_options.find = find_options(limits_.around, 0.3);
    const CheckResult checked = check(search, campaign_.pool(), check_options);
    result_.executions += checked.found.executions;
    take(checked.found, "around");
    add("around",
        fmt::format("{} with at most {} preemption{}, all at the {} anchored place{}{}", schedules(checked.certificate.schedules),
                    check_options.bound, check_options.bound == 1 ? "" : "s", search.preempt_at.size(),
                    search.preempt_at.size() == 1 ? "" : "s", checked.certificate.exhausted ? ", which are all" : ""),
        checked.found.executions);
  }

  // By the rules of `check`: the bug's own bound, then one more, as a change may have made the failure harder to reach.
  void enumerate() {
    for (uint32_t bound = std::max(1u, subject_.anchors.preemptions); !ended(); ++bound) {
      progress_.show(fmt::format("enumerating all schedules with at most {} preemptions", bound));
      CheckOptions check_options;
      check_options.bound = bound;
      check_options.find = find_options(limits_.enumerated, 0.6);
      const CheckResult checked = check_closed(campaign_, learns_, search_options(2), check_options);
      result_.executions += checked.found.executions;
      take(checked.found, "enumerated");
      const bool done = checked.explored();
      add("enumerated",
          fmt::format("{} with at most {} preemption{}{}", schedules(checked.certificate.schedules), bound, bound == 1 ? "" : "s",
                      done ? ", which are all" : ""),
          checked.found.executions);
      if (!done) return;
      result_.certificate = checked.certificate;
      result_.proved = checked.proved();
      if (bound > subject_.anchors.preemptions || checked.certificate.schedules > limits_.enumerated / 4) return;
    }
  }

  void sample() {
    measure_before();
    if (!result_.before_known) return;
    progress_.show("sampling schedules of the new build");
    Neighbourhood near;
    near.slices = result_.anchors.plan.slices;
    near.chosen = result_.anchors.chosen;
    near.choices = result_.anchors.plan.choices;
    const uint64_t wanted = std::min<uint64_t>(std::max<uint64_t>(runs_needed(result_.rate.low, limits_.miss / 10), 100), limits_.sampled);
    const auto sampler = around(search_options(3), near);
    const FindResult found = find(*sampler, campaign_.pool(), find_options(wanted, 0.5));
    result_.executions += found.executions;
    take(found, "sampled");
    count_samples(found.executions - found.inconclusive);
    add("sampled", fmt::format("{} drawn around the anchors and at random", schedules(result_.samples)), found.executions);
  }

  // A plain build in which nothing has failed: does anything race in it that did not before? It is searched with that and what is atomic as points.
  void watch_accesses() {
    if (all_accesses_) search_at(*all_accesses_, "searched");
    if (unseen_.empty() || result_.failure) return;
    if (campaign_.learnt()) {
      enumerate_accesses(all_accesses_.value_or(base_), campaign_.learnt()->unseen.empty());
      return;
    }
    progress_.show("watching the accesses of the new build");
    const double rest = limits_.seconds > 0 ? std::max(1.0, (limits_.seconds - seconds()) / 3) : 0;
    const WatchedBuild build = watch_build(campaign_, subject_, options_, rest);
    result_.executions += build.executions;
    if (!build.watched) return;
    add("watched",
        build.racing == 0 ? std::string("no access was seen to race under Valgrind")
                          : fmt::format("{} racing instructions were seen under Valgrind", build.racing),
        build.executions);
    if (build.racing > 0) result_.proved = false;
    Plan with_points = base_;
    build.points.put_in(with_points);
    if (!build.points.learnt->sites.empty()) search_at(with_points, "watched");
    if (!build.new_races.empty())
      cannot_tell(fmt::format("accesses of {} race in this build, and did not before", build.new_races.front()));
    enumerate_accesses(with_points, build.why_not.empty() && build.points.learnt->unseen.empty());
  }

  // Another mechanism in the place of the old one: neither names nor statements say that it does what the old one did, and the samples were measured
  // at the old one. All schedules over its accesses can be had all the same, mostly. `all_known`: what raced could all be made points.
  void enumerate_accesses(const Plan& base, bool all_known) {
    if (ended() || !all_known || shows_no_source() || !result_.reasons.empty() || (left_locks().empty() && !replaced())) return;
    progress_.show("enumerating the schedules of what replaces the old code");
    SearchOptions search = search_options(6);
    Plan look = base;
    look.detect = kDetectStacks;
    const PlacedTrace placed = placer_.place(execute(look));
    search.base = base;
    const auto guarded = accesses_like(subject_.anchors, placed, AccessesLike::kGuarded);
    if (!add_accesses(search.base, module_paths(placed.trace()), guarded).empty()) return;
    CheckOptions check_options;
    check_options.bound = std::max(1u, subject_.anchors.preemptions) + 1;
    check_options.reduction = Reduction::kAssumed;
    check_options.find = find_options(limits_.enumerated, 0.6);
    const CheckResult checked = check_closed(campaign_, false, search, check_options);
    result_.executions += checked.found.executions;
    take(checked.found, "enumerated");
    const Certificate& c = checked.certificate;
    const bool done = c.exhausted && !checked.found.found() && (c.open.empty() || c.open == kLearntPoints);
    const size_t instructions = accesses_among(search.base.sites).size();
    add("enumerated",
        fmt::format("{} with at most {} preemptions, at calls and {} instructions{}", schedules(c.schedules), check_options.bound,
                    instructions, done ? ", which are all if nothing else races" : ""),
        checked.found.executions);
    if (!done) return;
    result_.certificate = c;
    result_.proved = false;
    result_.replacement_enumerated = true;
    result_.instructions = instructions;
  }
  std::string left_locks() const { return unseen_.empty() ? "" : no_longer_guarded(subject_.anchors, lines_); }
  // Nothing says then which accesses ran under a lock.
  bool shows_no_source() const { return sources_.size() <= 1 && sources_.count("") == sources_.size(); }
  // Every thread of the schedule is there, and some do by other means what they did.
  bool replaced() const { return result_.anchors.threads_lost > 0 && result_.anchors.threads_gone() == 0; }

  void search_at(const Plan& base, const char* step) {
    const Plan before = base_;
    base_ = base;
    const Reanchored fitted = reanchor(subject_.anchors, matching_, base_, run_, placer_);
    consider(fitted.replay, step);
    if (fitted.threads_gone() < result_.anchors.threads_gone()) result_.anchors = fitted;  // a mutex that was replaced by atomics
    if (!ended()) {
      const auto strategy = search_named(options_.strategy_name())->make(search_options(5));
      const FindResult found = find(*strategy, campaign_.pool(), find_options(limits_.searched, 0.5));
      result_.executions += fitted.executions + found.executions;
      take(found, step);
      add(step, fmt::format("{} that switch at {} instructions", schedules(found.executions), accesses_among(base_.sites).size()),
          found.executions);
    }
    base_ = before;
  }

  void count_samples(uint64_t samples) {
    result_.samples = samples;
    result_.miss = miss_probability(result_.rate.value, samples);
    result_.miss_low = miss_probability(result_.rate.high, samples);
    result_.miss_high = miss_probability(result_.rate.low, samples);
  }

  // The same draws in the build in which the bug was found.
  void measure_before() {
    result_.rate = first_hit(subject_.bug.find_executions);
    const OldBuild old(subject_);
    if (!old.target()) return;
    try {
      measure(*old.target());
    } catch (const Error& error) {
      // The old build may need libraries that are not there any more.
      if (error.exit_code() == ExitCode::kInterrupted) throw;
    }
  }

  void measure(const Target& old) {
    progress_.show("measuring the old build");
    Campaign before(old, options_, subject_.predicates, subject_.input);
    const Trace failing = moved_to(*subject_.failing, subject_.bug.program, old.program);
    if (!before.confirm(failing, 1).believed) return;
    SearchOptions search = search_options(3);
    Plan plan = before.base();
    plan.env_seed = failing.data().env_seed;
    set_points(plan, failing.data().points, failing.data().sites);
    plan.code = code_of(failing, Strictness::kRelaxed);
    search.base = plan;
    search.early_timeouts = subject_.anchors.early_timeouts;
    const auto sampler = around(search, neighbourhood_of(failing));
    FindOptions find_before = find_options(limits_.before, 0.25);
    find_before.keep_going = true;
    find_before.measure = false;
    find_before.fails = [&](const Trace& trace) { return same_bug(failing, trace); };
    const FindResult found = find(*sampler, before.pool(), find_before);
    result_.samples_before = found.executions;
    for (const FoundFailure& f : found.failures) result_.failed_before += f.count;
    result_.rate = clopper_pearson(result_.failed_before, result_.samples_before);
    result_.before_known = result_.samples_before > 0;
  }

  void search() {
    progress_.show("searching the new build");
    const SearchRow& row = *search_named(options_.strategy_name());
    const auto strategy = row.make(search_options(4));
    uint64_t wanted = limits_.searched;
    if (!result_.before_known && result_.rate.low > 0)
      wanted = std::clamp<uint64_t>(runs_needed(result_.rate.low, limits_.miss), wanted, std::max(wanted, limits_.sampled * 2));
    const FindResult found = find(*strategy, campaign_.pool(), find_options(wanted, 1));
    result_.executions += found.executions;
    take(found, "searched");
    if (!result_.before_known) count_samples(found.executions - found.inconclusive);
    add("searched", fmt::format("{} of the {} search", schedules(found.executions), row.name), found.executions);
  }

  static std::string schedules(uint64_t count) { return fmt::format("{} schedule{}", count, count == 1 ? "" : "s"); }

  Trace execute(const Plan& plan) {
    ++result_.executions;
    return run_(plan);
  }
  void learn(const Trace& trace) {
    const PlacedTrace placed = placer_.place(trace);
    lines_.add(guarded_lines(placed));
    names_.add(placed.operations());
    for (uint32_t t = 1; t < trace.threads().size(); ++t) names_.add(placed.entry_of(t));
    for (uint32_t o = 0; o < placed.operations().size(); ++o) sources_.insert(placed.path(o));
    if (unseen_.empty()) unseen_ = unseen(trace);
    if (is_inconclusive(trace.outcome())) inconclusive_ = describe_failure(trace);
  }

  void take(const FindResult& found, const std::string& step) {
    for (const FoundFailure& f : found.failures) consider(f.trace, step);
    if (found.executions > 0 && found.inconclusive == found.executions) inconclusive_ = "no run had a usable outcome";
    if (!found.cannot_control.empty()) inconclusive_ = found.cannot_control;
    if (stop_flag()) cannot_tell("it was interrupted");
  }

  // A failure counts after it has replayed strictly three times.
  void consider(const Trace& trace, const std::string& step) {
    if (!campaign_.fails(trace) || is_inconclusive(trace.outcome())) return;
    const Confirmation confirmation = campaign_.confirm(trace);
    if (!confirmation.believed) {
      cannot_tell(fmt::format("a run failed ({}) and does not replay: {}", describe_failure(trace), confirmation.why_not));
      return;
    }
    fail(trace, same_ending(subject_.anchors.ending, ending_of(placer_.place(trace))), step);
  }
  void fail(const Trace& trace, bool same, const std::string& step) {
    if (result_.failure && (result_.failure->same || !same)) return;
    result_.failure = VerifyFailure{trace, same, step, describe_failure(trace)};
  }

  void add(const std::string& step, const std::string& words, uint64_t executions) {
    result_.evidence.push_back({step, words, executions, !result_.failure});
  }
  void cannot_tell(const std::string& reason) {
    if (std::find(result_.reasons.begin(), result_.reasons.end(), reason) == result_.reasons.end()) result_.reasons.push_back(reason);
  }

  // Nothing more to learn: the bug is there. Another failure does not end it, until the old one was looked for around the anchors.
  bool ended() const {
    if (stop_flag() || (result_.failure && result_.failure->same)) return true;
    return result_.failure && std::any_of(result_.evidence.begin(), result_.evidence.end(),
                                          [](const VerifyEvidence& e) { return e.step == "sampled" || e.step == "around"; });
  }

  void decide();
  void distrust_anchors();
  void distrust_surroundings();

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  const VerifySubject& subject_;
  const VerifyLimits& limits_;
  Progress& progress_;
  const CampaignOptions options_;
  Campaign campaign_;
  Reanchoring matching_;
  const Execute run_;
  Placer placer_;
  Plan base_;
  std::optional<Plan> all_accesses_;  // of the functions in which the accesses of the schedule are, in a plain build
  bool learns_ = false;
  uint32_t early_ = 0;
  GuardedLines lines_;
  TellingNames names_;
  std::set<std::string> sources_;  // of the operations seen
  std::string unseen_, inconclusive_;
  Verified result_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What would make "fixed" false although nothing failed.
void Verification::distrust_anchors() {
  const Reanchored& r = result_.anchors;
  result_.code_is_there = r.found() > 0 && r.threads_lost == 0;
  if (r.found() + r.lost == 0) return;
  const bool proved_beyond = result_.proved && unseen_.empty() && result_.certificate->bound > subject_.anchors.preemptions;
  const bool known = result_.replacement_enumerated || proved_beyond;
  if (const std::string other = other_program(subject_.anchors, names_); !other.empty()) {
    cannot_tell(other);
  } else if (known && (r.threads_lost == 0 || replaced())) {
    return;
  } else if (r.found() == 0) {
    cannot_tell(fmt::format("none of the {} places of the schedule is in this build", r.lost));
  } else if (r.threads_lost > 0) {
    cannot_tell(fmt::format("what a thread of the schedule did is nowhere in this build{}",
                            shows_no_source() ? ", which lacks debug information" : ""));
  } else if (r.lost > r.found()) {
    cannot_tell(fmt::format("{} of the {} places of the schedule are not in this build", r.lost, r.found() + r.lost));
  }
}

void Verification::distrust_surroundings() {
  if (const std::string gone = vanished_check(subject_.anchors.ending, sources_, result_.anchors.replay); !gone.empty())
    cannot_tell(fmt::format("the check that failed, `{}`, is no longer in the program", gone));
  if (const std::string bare = left_locks(); !bare.empty() && !result_.replacement_enumerated)
    cannot_tell(fmt::format("{}, and {}: build it with heddle-cc", bare, unseen_));
  const auto& then = subject_.bug.command;
  const auto& now = campaign_.target().arguments;
  if (!then.empty() && !std::equal(then.begin() + 1, then.end(), now.begin() + 1, now.end()))
    cannot_tell("the program is given other arguments than when the bug was found");
  if (subject_.asks_peers) cannot_tell("what other processes sent when the bug was found is not available in another build");
  if (!inconclusive_.empty() && !result_.proved && result_.samples == 0) cannot_tell(inconclusive_);
}

void Verification::decide() {
  // Another program may fail by itself, and that says nothing about this one.
  if (result_.failure && !result_.failure->same && subject_.anchors.placed() && !names_.none()) {
    if (const std::string other = other_program(subject_.anchors, names_); !other.empty()) {
      result_.failure.reset();
      result_.reasons = {other};
      return;
    }
  }
  if (result_.failure) {
    result_.verdict = result_.failure->same ? VerifyVerdict::kStillFails : VerifyVerdict::kFailsDifferently;
    return;
  }
  if (!result_.anchors.replay.events().empty()) {
    distrust_anchors();
    distrust_surroundings();
  }
  const bool sure =
      limits_.only_anchors || result_.proved || result_.replacement_enumerated || (result_.sampled() && result_.miss_high <= limits_.miss);
  if (result_.reasons.empty() && !sure) cannot_tell(why_not_sure(result_));
  if (result_.reasons.empty()) result_.verdict = VerifyVerdict::kFixed;
}

}  // namespace

Verified verify_build(const VerifySubject& subject, const Target& target, const VerifyLimits& limits, Progress& progress) {
  Target with = target;
  for (const std::string& entry : subject.environment) with.set_variable(entry);
  return Verification(subject, with, limits, progress).go();
}

}  // namespace heddle::cli
