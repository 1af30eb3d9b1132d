#include "cli/suite_run.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/print.h"
#include "cli/story.h"
#include "cli/test_lists.h"
#include "exec/capture.h"
#include "exec/ctest_judge.h"
#include "exec/judge.h"
#include "symbols/symbols.h"
#include "trace/hash.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

constexpr size_t kOtherSchedules = 12;   // that must all fail before a test is said to fail always
constexpr double kFixtureSeconds = 300;  // where the fixture has no time-out of its own
constexpr double kPlainSeconds = 10;     // for a plain run of a test that fails always
constexpr double kLeastSliceSeconds = 1;
constexpr double kLongestWatchdog = 60;  // a test that CTest lets run for an hour is not waited for so long

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Empty where the program cannot be run, which is said when its turn comes.
std::string build_of_test(const TestCase& test) {
  static std::map<std::string, std::string> known;
  if (!test.cannot.empty()) return {};
  try {
    const std::string program = target_of(test).program;
    const auto [at, is_new] = known.emplace(program, "");
    if (is_new) at->second = Symbols({program}).build_id(0);
    return at->second;
  } catch (const Error&) {
    return {};
  }
}

// Of all tests together, whatever part of them is run here.
std::string build_of_all(const suite::TestList& list) {
  std::string all;
  for (const TestCase& test : list.cases) all += test.name + '\n' + build_of_test(test) + '\n';
  return fmt::format("{:016x}", hash_bytes(all.data(), all.size()));
}

// Does it fail whatever the schedule is? The calmest and random ones besides that which failed.
bool fails_always(Campaign& campaign, uint64_t seed) {
  if (!campaign.fails(campaign.pool().run_now(campaign.base()).trace)) return false;
  for (size_t i = 0; i < kOtherSchedules && !stop_flag(); ++i) {
    Plan plan = campaign.base();
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = mix(seed, 0xA1 + i);
    plan.tail.stay = i % 2 == 0 ? 0 : 0xC000;
    const Trace trace = campaign.pool().run_now(plan).trace;
    if (!campaign.fails(trace)) return false;
  }
  return true;
}

// Without control, as CTest itself runs it.
bool passes_plainly(const TestCase& test, double seconds = kFixtureSeconds) {
  try {
    if (!test.cannot.empty()) return false;
    const Captured done = capture(target_of(test), test.timeout > 0 ? std::min(test.timeout, seconds) : seconds);
    if (!test.rule.any() || !WIFEXITED(done.wait_status)) return done.exited_with(0);
    return !done.late &&
           CTestJudge(test.rule).answer(WEXITSTATUS(done.wait_status), {done.out, done.err}).said != CTestJudge::Said::kFailed;
  } catch (const Error& error) {
    if (error.exit_code() == ExitCode::kInterrupted) throw;
    return false;
  }
}

}  // namespace

SuiteRun::SuiteRun(suite::TestList list, SuiteOptions options, const std::optional<SuiteResult>& before)
    : list_(std::move(list)), options_(std::move(options)) {
  result_.build = build_of_all(list_);
  std::vector<TestCase> mine;
  for (size_t i = 0; i < list_.cases.size(); ++i) {
    if (options_.shard.has(i)) mine.push_back(std::move(list_.cases[i]));
  }
  list_.cases = std::move(mine);
  rows_.resize(list_.cases.size());
  result_.framework = list_.framework;
  result_.seed = options_.campaign.plan.seed();
  result_.executions = options_.campaign.executions.value_or(0);
  result_.shard = options_.shard;
  result_.partial = options_.partial;
  for (const TestCase& test : list_.cases) {
    TestResult row;
    row.name = test.name;
    row.missed = test.cannot.empty() ? 1 : 0;
    row.words = test.cannot.empty() ? "no time was left for it" : test.cannot;
    row.command = shell_words(test.command);
    row.build = build_of_test(test);
    result_.tests.push_back(std::move(row));
  }
  history_ = history(before);
  for (size_t i = 0; i < history_.size(); ++i) result_.tests[i].missed += result_.tests[i].missed > 0 ? history_[i].missed : 0;
}

std::vector<TestHistory> SuiteRun::history(const std::optional<SuiteResult>& before) const {
  std::vector<TestHistory> all(result_.tests.size());
  if (!before) return all;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto old = std::find_if(before->tests.begin(), before->tests.end(),
                                  [&](const TestResult& test) { return test.name == result_.tests[i].name; });
    if (old == before->tests.end()) continue;
    all[i].known_bug = suite::is_bad(old->verdict);
    all[i].changed = old->build != result_.tests[i].build;
    all[i].missed = old->missed;
  }
  return all;
}

double SuiteRun::left() const {
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return *options_.campaign.seconds - spent;
}

double SuiteRun::plain_seconds() const {
  return options_.campaign.seconds ? std::clamp(left() / 4, kLeastSliceSeconds, kPlainSeconds) : kPlainSeconds;
}

// A test that hangs must not eat the others' time: its first slice has little more than its share, later ones what they ask for.
CampaignOptions SuiteRun::slice_options(const TestCase& test, const Dealt& dealt) const {
  CampaignOptions options = options_.campaign;
  const uint64_t seed = options.plan.seed();
  options.plan.set_seed(dealt.slice == 0 ? seed : mix(seed, dealt.slice));
  options.executions = dealt.executions;
  options.no_retry |= dealt.slice > 0;
  options.test = test.name;
  if (rows_[dealt.test].alone) options.jobs = 1;
  options.environment = test.environment;
  if (test.rule.any()) options.ctest_rule = ctest_rule_text(test.rule);
  if (test.timeout > 0 && !options.plan.watchdog_given()) options.plan.set_watchdog(std::min(test.timeout, kLongestWatchdog));
  options.seconds = std::nullopt;
  if (options_.campaign.seconds) {
    const auto waiting = static_cast<double>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return !row.settled; }));
    const double shares = dealt.slice == 0 ? 1.5 : 4;
    options.seconds = std::clamp(shares * left() / std::max(waiting, 1.0), kLeastSliceSeconds, std::max(left(), kLeastSliceSeconds));
  } else {
    options.seconds = 0;
  }
  return options;
}

void SuiteRun::judge(Campaign& campaign, const CampaignOptions& options, const Found& found, TestResult& result, Progress& progress) {
  const Believed& first = found.believed.front();
  result.signature = signature(first.trace);
  result.words = first_line(describe_failure(first.trace));
  const bool always = campaign.pool().threadless() || (first.index == 0 && fails_always(campaign, options.plan.seed()));
  const std::vector<TimingNeed> needs = always ? std::vector<TimingNeed>() : timing_needs_of(campaign, first.trace);
  // What fails in every run under control and passes without depends on what control changes: how fast time passes.
  const bool unlike_plain = always && passes_plainly(list_.cases[static_cast<size_t>(&result - result_.tests.data())], plain_seconds());
  const bool real_time = unlike_plain || !needs.empty();
  result.verdict = real_time ? TestVerdict::kFlaky : always ? TestVerdict::kFailsAlways : TestVerdict::kFailure;
  for (const TimingNeed& need : needs) result.words += fmt::format("; needs that {}", need.sentence);
  if (unlike_plain)
    result.words +=
        "; so under every schedule that was tried, and not in a plain run: how fast time passes decides, or what is there outside of the "
        "program";
  if (!options_.keep) return;
  Saving saving;
  Bug bug = first.known ? *first.known : campaign.bug_of(first.trace, options);
  saving.attempt([&] {
    if (!first.known) bug = save_failure(campaign, options, first, found.result.seconds);
    result.bug = BugStore::shown(bug.id);
  });
  if (!options_.explain || !saving.saved() || stop_flag()) return;
  DebugOptions debug = options_.debug;
  debug.seed = options.plan.seed();
  debug.no_slice = true;  // `heddle why` makes it when somebody asks
  if (always) debug.no_isolate = debug.no_reduce = true;
  debug_failure(campaign, debug, first.trace, bug, saving, progress);
}

SliceReport SuiteRun::run_slice(const Dealt& dealt, Progress& progress) {
  const TestCase& test = list_.cases[dealt.test];
  TestResult& result = result_.tests[dealt.test];
  CampaignOptions options = slice_options(test, dealt);
  SliceReport report;
  const auto begun = std::chrono::steady_clock::now();
  try {
    auto searched = std::make_unique<Campaign>(target_of(test), options, options.predicates(), Input::of_bytes(""));
    Found found = find_failure(*searched, options, progress);
    // Runs beside each other may be in each other's way outside of the program: a port, a name in the system.
    const bool calmest = found.failed() && found.believed.front().index == 0 && !found.believed.front().known;
    const bool differs = found.failed() ? calmest && passes_plainly(test, plain_seconds()) : !found.uncontrolled.empty();
    if (differs && options.jobs != 1 && !stop_flag()) {
      rows_[dealt.test].alone = true;
      options.jobs = 1;
      searched = std::make_unique<Campaign>(target_of(test), options, options.predicates(), Input::of_bytes(""));
      found = find_failure(*searched, options, progress);
    }
    Campaign& campaign = *searched;
    report.executions = found.result.executions;
    report.new_behaviours =
        found.result.last.behaviours > rows_[dealt.test].behaviours ? found.result.last.behaviours - rows_[dealt.test].behaviours : 0;
    rows_[dealt.test].behaviours = std::max<uint64_t>(rows_[dealt.test].behaviours, found.result.last.behaviours);
    result.executions += found.result.executions;
    if (found.failed()) {
      judge(campaign, options, found, result, progress);
      report.settled = true;
    } else if (!found.uncontrolled.empty()) {
      result.verdict = TestVerdict::kFlaky;
      result.words = found.uncontrolled;
      report.settled = true;
    } else if (std::string_view(found.verdict()) == "inconclusive") {
      const bool first = dealt.slice == 0;
      if (first) result.words = found.inconclusive.empty() ? found.result.cannot_control : found.inconclusive;
      const bool none = found.result.executions == 0;
      if (first && (result.words.empty() || (none && found.result.stopped)))
        result.words = fmt::format("no run ended within {:.1f} s", options.seconds.value_or(0));
      // No run came to its end in the test's share of the time: more, once the others had theirs.
      report.cut = first && none && options_.campaign.seconds.has_value();
      report.settled = (first || none) && !report.cut;
    } else if (!found.facts.skipped().empty()) {
      result.verdict = TestVerdict::kCannotTest;
      result.words = found.facts.skipped();
      report.settled = true;
    } else {
      const bool threads = !campaign.pool().threadless();
      result.verdict = threads ? TestVerdict::kPassed : TestVerdict::kNoThreads;
      result.words.clear();
      report.settled = !threads || found.result.exhausted;
    }
  } catch (const Error& error) {
    if (error.exit_code() == ExitCode::kInterrupted) throw;
    result.words = error.what();
    report.settled = true;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  result.seconds += report.seconds;
  return report;
}

// Plainly, before the first test: a fixture is no test, and what it leaves is there for every run. What a fixture itself requires comes first.
void SuiteRun::set_up(const std::string& name) {
  const auto at = std::find_if(list_.fixtures.begin(), list_.fixtures.end(), [&](const suite::Fixture& f) { return f.name == name; });
  if (at == list_.fixtures.end() || std::find(set_up_.begin(), set_up_.end(), name) != set_up_.end()) return;
  set_up_.push_back(name);
  for (const TestCase& setup : at->setup) {
    for (const std::string& before : setup.fixtures) set_up(before);
    if (passes_plainly(setup) || !at->needed) continue;
    for (TestCase& test : list_.cases) {
      if (std::find(test.fixtures.begin(), test.fixtures.end(), name) == test.fixtures.end()) continue;
      test.cannot = fmt::format("its fixture {} could not be set up: {} failed", name, setup.name);
    }
  }
}

void SuiteRun::set_up_fixtures() {
  std::set<std::string> wanted;
  for (const TestCase& test : list_.cases) {
    if (test.cannot.empty()) wanted.insert(test.fixtures.begin(), test.fixtures.end());
  }
  for (const std::string& name : wanted) set_up(name);
}

void SuiteRun::clean_up_fixtures() {
  for (size_t i = set_up_.size(); i-- > 0;) {
    for (const suite::Fixture& fixture : list_.fixtures) {
      if (fixture.name != set_up_[i]) continue;
      for (const TestCase& cleanup : fixture.cleanup) passes_plainly(cleanup);
    }
  }
}

SuiteState SuiteRun::state() const {
  SuiteState state;
  state.result = &result_;
  state.turns = turns_;
  for (const Row& row : rows_) state.settled.push_back(row.settled);
  if (options_.campaign.seconds) state.left = left();
  return state;
}

SuiteResult SuiteRun::run(Progress& progress, const OnSettled& settled) {
  set_up_fixtures();
  Dealer dealer(history_, options_.campaign.executions.value_or(0));
  while (!stop_flag() && (!options_.campaign.seconds || left() > 0)) {
    const std::optional<Dealt> dealt = dealer.next();
    if (!dealt) break;
    const TestCase& test = list_.cases[dealt->test];
    Row& row = rows_[dealt->test];
    std::erase(turns_, dealt->test);
    turns_.push_back(dealt->test);
    SliceReport report;
    report.settled = true;
    progress.show(test.name);
    result_.tests[dealt->test].missed = 0;
    if (test.cannot.empty()) {
      report = run_slice(*dealt, progress);
    } else {
      result_.tests[dealt->test].words = test.cannot;
    }
    dealer.report(*dealt, report);
    ++row.slices;
    row.settled = report.settled || options_.campaign.executions.has_value();
    progress.clear();
    if (row.settled) settled(result_, dealt->test);
    if (options_.first_only && suite::is_bad(result_.tests[dealt->test].verdict)) break;
  }
  clean_up_fixtures();
  return result_;
}

}  // namespace heddle::cli
