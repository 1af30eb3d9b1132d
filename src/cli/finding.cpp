// Finding and believing a failure, for the verbs that search: find, debug and check.
#include "cli/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>

#include "cli/anchoring.h"
#include "cli/learning_search.h"
#include "cli/pipeline.h"
#include "cli/print.h"
#include "search/epochs.h"
#include "search/make.h"
#include "store/bug_draft.h"
#include "store/store.h"
#include "trace/error.h"
#include "trace/project.h"
#include "trace/sight.h"

namespace heddle::cli {

namespace {

constexpr size_t kMostKnown = 32;       // saved bugs that are retried
constexpr uint32_t kTimingBound = 3;    // what ends before its time in one run of the default search, at most
constexpr uint32_t kMostTiming = 1000;  // that may be asked for

// The record of a search under .heddle/. Where it cannot be kept, that is said once and the search goes on.
class Record {
 public:
  Record(const Campaign& campaign, const CampaignOptions& options) {
    record_.strategy = options.strategy_name();
    record_.seed = options.plan.seed();
    attempt([&] {
      store_.emplace(store_root(), campaign.build_id(), campaign.target().arguments);
      before_ = store_->totals();
      known_ = store_->history();
      if (options.resume) record_.segment = store_->segments(record_.strategy, record_.seed);
    });
    if (options.resume) *history_ = known_;
    resumed_ = options.resume;
  }

  const std::shared_ptr<SearchHistory>& history() const { return history_; }
  uint64_t segment() const { return record_.segment; }
  CampaignTotals totals() const {
    return {before_.searches + 1, before_.executions + record_.executions, before_.seconds + record_.seconds};
  }

  void save(const FindProgress& progress, bool exhausted) {
    record_.executions = progress.executions;
    record_.seconds = progress.seconds;
    record_.exhausted = exhausted;
    attempt([&] {
      if (store_) store_->save(record_, resumed_ ? *history_ : merged());
    });
  }
  void count(const std::string& bug, uint64_t times) {
    attempt([&] {
      if (store_) store_->count_bug(bug, times);
    });
  }

 private:
  template <typename Action>
  void attempt(Action action) {
    try {
      action();
    } catch (const Error& error) {
      store_.reset();
      print_err("heddle: this search is not recorded: {}\n", error.what());
    }
  }
  // A search that does not build on what is known does not forget it either.
  SearchHistory merged() const {
    SearchHistory all = known_;
    for (const auto& [key, count] : history_->tried) all.tried[key] += count;
    for (const auto& [key, count] : history_->behaviours) all.behaviours[key] += count;
    all.sites.insert(all.sites.end(), history_->sites.begin(), history_->sites.end());
    std::sort(all.sites.begin(), all.sites.end());
    all.sites.erase(std::unique(all.sites.begin(), all.sites.end()), all.sites.end());
    return all;
  }

  std::optional<CampaignStore> store_;
  std::shared_ptr<SearchHistory> history_ = std::make_shared<SearchHistory>();
  SearchHistory known_;
  CampaignTotals before_;
  SearchRecord record_;
  bool resumed_ = false;
};

// The run that a search perturbs: of this program, as it was recorded.
Trace recorded_run(const Campaign& campaign, const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return load_trace(name);
  const BugStore store;
  const Bug bug = store.load(name);
  if (bug.program != campaign.target().program)
    throw Error(fmt::format("{} is a run of {}, not of this program", name, bug.program), ExitCode::kUsage);
  return store.load_trace(bug, kFailingTrace);
}

SearchOptions options_of(Campaign& campaign, const CampaignOptions& options) {
  SearchOptions search;
  search.seed = options.plan.seed();
  search.base = campaign.base();
  search.depth = options.depth;
  search.early_timeouts = std::min(options.early_timeouts, kMostTiming);
  search.spurious_wakeups = std::min(options.spurious_wakeups, kMostTiming);
  search.timing = options.no_timing ? 0 : kTimingBound;
  if (!options.around.empty()) search.around = recorded_run(campaign, options.around);
  search.fails = [&campaign](const Trace& trace) { return campaign.fails(trace); };
  return search;
}

// A failure of the very first run of an instrumented program was recorded over all accesses. Its schedule needs only those that race.
Trace over_racing_points(Campaign& campaign, const CampaignOptions& options, const Trace& failing) {
  if (failing.data().points != PointKind::kAll || options.plan.points() == PointKind::kAll) return failing;
  const Deadline::Scope no_limit(campaign.pool().deadline(), 0);
  Plan plan = campaign.base();
  set_points(plan, PointKind::kRacy, scouted_sites(failing));
  const Trace again = campaign.pool().run_now(plan).trace;
  return same_bug(failing, again) ? again : failing;
}

// The failure without what ended before its time in it, where it fails so, too: of the rest a person must judge whether it happens.
Trace without_timing(Campaign& campaign, Trace failing) {
  const Deadline::Scope no_limit(campaign.pool().deadline(), 0);
  auto left = [](const Trace& trace) { return timing_choices(trace); };
  for (size_t skip = 0; left(failing) > skip;) {
    Plan plan = campaign.replay_plan(failing);
    plan.strictness = Strictness::kRelaxed;
    plan.inputs = nullptr;
    // First all of them, then each by itself.
    size_t seen = 0;
    for (const Event& e : failing.events()) {
      if (!before_its_time(e) || (skip > 0 && ++seen != skip)) continue;
      std::erase_if(plan.choices, [&](const Choice& c) { return c.thread == failing.thread_id(e) && c.number == e.number; });
    }
    const Trace again = campaign.pool().run_now(plan).trace;
    if (same_bug(failing, again) && left(again) < left(failing)) {
      failing = again;
    } else {
      ++skip;
    }
  }
  return failing;
}

// The same program, the same words, and the same idea of what a failure is.
bool concerns(const Bug& bug, const Campaign& campaign) {
  const Predicates& p = campaign.judge().predicates();
  return bug.program == campaign.target().program && bug.command == campaign.target().arguments && bug.expect_exit == p.expect_exit &&
         bug.expect_stdout == p.expect_stdout && bug.fails_if_output == p.fails_if_output && bug.fails_if == p.fails_if &&
         bug.ctest_rule == p.ctest_rule;
}

// The schedules of the bugs that are saved of this program, newest first. A program built anew follows them as far as it can.
void retry_known(Campaign& campaign, const CampaignOptions& options, Found& found) {
  const BugStore store;
  size_t retried = 0;
  for (const BugStore::Listed& listed : store.list()) {
    if (stop_flag() || retried == kMostKnown || (!options.keep_going && found.failed())) return;
    if (!listed.bug || !concerns(*listed.bug, campaign)) continue;
    try {
      const Trace saved = store.load_trace(*listed.bug, kFailingTrace);
      if (saved.data().first != 0) continue;  // it begins in the middle
      Plan plan = campaign.replay_plan(saved);
      plan.input_id = campaign.base().input_id;
      plan.inputs = nullptr;  // the question is whether it fails with what comes today
      const bool same_build = listed.bug->build_id == campaign.build_id();
      if (!same_build) plan.strictness = Strictness::kRelaxed;
      // Places in the code of another build are not this one's.
      if (!same_build && !plan.sites.empty()) continue;
      RunResult again = campaign.pool().run_now(plan);
      ++retried;
      const size_t index = found.result.executions++;
      if (!campaign.fails(again.trace)) continue;
      const bool same = same_bug(saved, again.trace);
      if (same_build && !same) continue;
      if (!same_build && !campaign.confirm(again.trace).believed) continue;
      // Somebody else's bug is left as it is: what its schedule showed here is saved as one's own. So is what a program built anew shows: the
      // bug of the old build does not replay in it.
      const Seal::Verdict seal = store.check(*listed.bug);
      const bool own = seal.own && seal.changed.empty();
      found.believed.push_back({again.trace, again.output, index, 1, same && own && same_build ? listed.bug : std::nullopt});
    } catch (const Error& error) {
      if (error.exit_code() == ExitCode::kInterrupted) return;
      print_err("heddle: bug {} cannot be retried: {}\n", listed.id, error.what());
    }
  }
}

// Joins what the search found with what the known bugs showed.
void join(FindResult& result, size_t before, double seconds) {
  result.executions += before;
  result.seconds += seconds;
  result.last.executions += before;
}

// Where a plain program shows no failure, what follows an operation that lets others go on may still be wrong: there the calls and what comes after
// them are one step. A point after each such operation makes the search larger, so that the last part of it has them, and no other.
bool may_look_after_releases(const CampaignOptions& options) {
  return options.strategy.empty() && !options.plan.points() && !options.keep_going;
}
constexpr uint64_t kParts = 4;
void leave_part(FindOptions& options) {
  options.executions -= options.executions / kParts;
  options.seconds -= options.seconds / kParts;
}
FindOptions rest_of(FindOptions options, const FindResult& first) {
  options.executions -= std::min<uint64_t>(options.executions, first.executions);
  if (options.seconds > 0) options.seconds -= std::min(options.seconds, first.seconds);
  return options;
}
bool is_worth_more(const FindOptions& whole, const FindResult& first) {
  const bool left = whole.executions > first.executions && (whole.seconds == 0 || whole.seconds > first.seconds);
  return left && !first.found() && first.inconclusive < first.executions;
}

void look_after_releases(Campaign& campaign, const SearchRow& row, SearchOptions options, FindOptions rest, Found& found) {
  options.base.sites.push_back(kAfterReleases);
  std::sort(options.base.sites.begin(), options.base.sites.end());
  set_points(options.base, options.base.points, options.base.sites);
  options.history = nullptr;
  const FindResult first = found.result;
  const auto believe = rest.believe;
  const auto each = rest.each;
  rest.believe = [&](FoundFailure& failure) {
    failure.index += first.executions;
    return believe(failure);
  };
  rest.each = [&](size_t index, const Plan& plan, const Trace& trace) { each(first.executions + index, plan, trace); };
  found.result = find(*row.make(options), campaign.pool(), rest);
  found.after_releases = found.result.executions;
  join(found.result, first.executions, first.seconds);
  found.result.refused += first.refused;
  found.result.cut += first.cut;
  found.result.inconclusive += first.inconclusive;
  found.result.exhausted &= first.exhausted;
  found.result.last.schedules += first.last.schedules;
  found.result.last.behaviours = std::max(found.result.last.behaviours, first.last.behaviours);
  found.result.last.last_new += found.result.last.last_new > 0 ? first.executions : first.last.last_new;
}

}  // namespace

const char* Found::verdict() const {
  if (failed()) return "failure";
  const bool silent = (result.executions > 0 && result.inconclusive == result.executions) || !result.cannot_control.empty();
  return !uncontrolled.empty() || silent || result.executions == 0 ? "inconclusive" : "none";
}

int Found::exit_code() const {
  if (failed()) return exit_value(ExitCode::kFailure);
  if (stop_flag()) return exit_value(ExitCode::kInterrupted);
  return exit_value(std::string_view(verdict()) == "none" ? ExitCode::kNothing : ExitCode::kCannotTest);
}

SearchOptions search_options(Campaign& campaign, const CampaignOptions& options) {
  campaign.choose_points(options);
  return options_of(campaign, options);
}

bool believe(Campaign& campaign, Found& found, const FoundFailure& failure) {
  // A proof takes as long as it takes: what was found is not given up because the time is over.
  const Deadline::Scope no_limit(campaign.pool().deadline(), 0);
  auto seen = [&](const Believed& b) { return same_bug(b.trace, failure.trace); };
  if (std::any_of(found.believed.begin(), found.believed.end(), seen)) return true;
  Confirmation confirmation = campaign.confirm(failure.trace);
  if (confirmation.believed) {
    found.believed.push_back({failure.trace, std::move(confirmation.output), failure.index, failure.count, std::nullopt});
  } else if (found.uncontrolled.empty()) {
    found.uncontrolled =
        fmt::format("run {} failed ({}) but does not replay: {}", failure.index + 1, describe_failure(failure.trace), confirmation.why_not);
  }
  return confirmation.believed;
}

namespace {

std::unique_ptr<Search> search_over(Campaign& campaign, const CampaignOptions& options, const SearchOptions& search, const SearchRow& row) {
  if (campaign.learns_points(options)) return std::make_unique<Epochs>(search, row);
  std::unique_ptr<Search> learning = learning_search(campaign, options, search, row);
  return learning ? std::move(learning) : row.make(search);
}

SearchOptions with_points_of(const Campaign& campaign, SearchOptions search) {
  search.base = campaign.base();
  return search;
}

// How often the runs of the search showed what is believed.
void count_failures(Found& found) {
  for (const FoundFailure& failure : found.result.failures) {
    for (Believed& b : found.believed) {
      if (!same_bug(b.trace, failure.trace)) continue;
      b.count = b.known ? b.count + failure.count : failure.count;
      break;
    }
  }
}

// Nothing is looked for any more: a known bug has failed again, or the user has interrupted.
void end_with_known(Record& record, Found& found, double seconds) {
  found.result.seconds = seconds;
  found.result.stopped = stop_flag();
  found.result.last.executions = found.result.executions;
  found.result.last.seconds = seconds;
  for (const Believed& b : found.believed) {
    found.result.failures.push_back({signature(b.trace), b.index, 1, plan_of(b.trace), b.trace});
    if (b.known) record.count(b.known->id, 1);
  }
  record.save(found.result.last, false);
  found.totals = record.totals();
}

std::string progress_words(const FindProgress& p) {
  return fmt::format("{} runs, {:.0f}/s, {} schedules, {} behaviours, the last new one in run {}{}", p.executions,
                     static_cast<double>(p.executions) / std::max(p.seconds, 0.001), p.schedules, p.behaviours, p.last_new,
                     p.failures > 0 ? fmt::format(", {} failures", p.failures) : "");
}

// `find_options` has what is told to whom while the search goes on, and what ends it.
void look(Campaign& campaign, const CampaignOptions& options, const SearchOptions& search_for, FindOptions find_options,
          const std::atomic<bool>& enough, Found& found) {
  const SearchRow& row = *search_named(options.strategy_name());
  const std::unique_ptr<Search> search = search_over(campaign, options, search_for, row);
  const FindOptions whole = find_options;
  const bool releases = !campaign.learns_points(options) && may_look_after_releases(options);
  if (releases) leave_part(find_options);
  // Ctrl-C while a run is under way ends that run; what was found before counts.
  try {
    found.result = find(*search, campaign.pool(), find_options);
    if (releases && !enough && is_worth_more(whole, found.result))
      look_after_releases(campaign, row, with_points_of(campaign, search_for), rest_of(whole, found.result), found);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    found.result.stopped = true;
  }
}

// What the search has learnt beside the failures, and what is kept of it.
void account_for(Campaign& campaign, const CampaignOptions& options, Record& record, Found& found) {
  found.learnt = campaign.learnt();
  const bool sees_atomics = campaign.learns_points(options) || (found.learnt && found.learnt->atomic > 0);
  if (!sees_atomics && !campaign.pool().threadless()) found.own_locks = find_own_locks(module_paths(found.facts.sample()));
  count_failures(found);
  record.save({found.result.executions, 0, 0, 0, 0, 0, found.result.seconds}, found.result.exhausted);
  const BugStore bugs;
  for (const Believed& b : found.believed) record.count(bugs.id_for(b.known ? *b.known : campaign.bug_of(b.trace, options)), b.count);
  found.totals = record.totals();
}

}  // namespace

Found find_failure(Campaign& campaign, const CampaignOptions& options, Progress& progress) {
  if (!options.around.empty() && options.strategy_name() != "gaussian")
    throw Error("--around is for --strategy gaussian", ExitCode::kUsage);
  Record record(campaign, options);
  Found found;
  found.segment = record.segment();
  const auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  FindOptions find_options = options.find_options();
  const Deadline::Scope limit(campaign.pool().deadline(), find_options.seconds);
  if (!options.no_retry) retry_known(campaign, options, found);
  const size_t retried = found.result.executions;
  if ((found.failed() && !options.keep_going) || stop_flag()) {
    end_with_known(record, found, seconds());
    return found;
  }
  const bool learns = campaign.learns_points(options) || campaign.must_learn(options);
  SearchOptions search_for = learns ? options_of(campaign, options) : search_options(campaign, options);
  search_for.history = record.history();
  if (record.segment() > 0) search_for.seed = mix(search_for.seed, 0x5E6 + record.segment());
  const double begun = seconds();
  if (find_options.seconds > 0) find_options.seconds = std::max(find_options.seconds - begun, 0.001);
  find_options.history = record.history();
  find_options.progress = [&](const FindProgress& p) { progress.show(progress_words(p)); };
  find_options.checkpoint = [&](const FindProgress& p) { record.save(p, false); };
  // Without threads there is one schedule, and one run shows it.
  std::atomic<bool> enough{false};
  find_options.stop = &enough;
  find_options.believe = [&](FoundFailure& failure) {
    failure.index += retried;
    failure.trace = without_timing(campaign, over_racing_points(campaign, options, failure.trace));
    return believe(campaign, found, failure);
  };
  find_options.each = [&](size_t index, const Plan&, const Trace& trace) {
    found.facts.add(index, trace);
    enough = stop_flag() || campaign.pool().threadless();
    if (is_inconclusive(trace.outcome())) found.inconclusive = describe_failure(trace);
  };
  look(campaign, options, search_for, find_options, enough, found);
  progress.clear();
  found.result.exhausted |= campaign.pool().threadless();
  join(found.result, retried, begun);
  account_for(campaign, options, record, found);
  return found;
}

Bug save_failure(Campaign& campaign, const CampaignOptions& options, const Believed& failure, double seconds) {
  Bug bug = campaign.bug_of(failure.trace, options);
  bug.find_executions = failure.index + 1;
  bug.find_seconds = seconds;
  bug.id = BugStore().id_for(bug);
  BugDraft draft;
  const BugStore& store = draft.store();
  const std::vector<std::string> lost = store.save_trace(bug.id, kFailingTrace, failure.trace);
  for (const std::string& sentence : lost) print_err("heddle: {}\n", sentence);
  store.save_text(bug.id, kStdout, failure.output.out);
  store.save_text(bug.id, kStderr, failure.output.err);
  store.save_text(bug.id, kStdin, campaign.input().bytes());
  save_program(store, bug.id, campaign.target());
  save_anchors(store, bug.id, campaign, failure.trace);
  draft.publish(bug);
  return bug;
}

namespace {

AccountQuestion question_of(Campaign& campaign, const Found& found, const CampaignOptions& options) {
  return {found.result,
          found.facts,
          options.strategy_name(),
          found.failed(),
          campaign.pool().threadless(),
          options.seconds.has_value(),
          (options.strategy_name() == "portfolio" && !options.no_timing) || options.early_timeouts > 0,
          found.after_releases,
          words_about(found.own_locks),
          found.learnt ? found.learnt->sites.size() : 0,
          found.learnt ? found.learnt->executions : 0,
          found.learnt ? found.learnt->unseen : std::vector<std::string>()};
}

}  // namespace

Json json_account(Campaign& campaign, const Found& found, const CampaignOptions& options) {
  const Account a = account_of(question_of(campaign, found, options));
  return {{"verdict", a.verdict}, {"covered", a.covered}, {"not_seen", a.unseen}, {"next", a.next}};
}

void print_nothing_found(Campaign& campaign, const Found& found, const CampaignOptions& options) {
  const FindResult& r = found.result;
  if (!r.cannot_control.empty()) {
    print_out("cannot test: {}\n", r.cannot_control);
    return;
  }
  if (!found.uncontrolled.empty()) print_out("uncontrolled nondeterminism: {}\n", found.uncontrolled);
  print_account(account_of(question_of(campaign, found, options)));
  if (found.totals.searches > 1)
    print_out("With earlier searches of this program: {} runs in {} searches, {:.1f} s.\n", found.totals.executions, found.totals.searches,
              found.totals.seconds);
  if (r.inconclusive > 0) print_out("{} runs were inconclusive; the last: {}\n", r.inconclusive, found.inconclusive);
}

}  // namespace heddle::cli
