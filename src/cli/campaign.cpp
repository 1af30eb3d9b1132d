#include "cli/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "cli/print.h"
#include "cli/results.h"
#include "search/search.h"
#include "store/atomic_file.h"
#include "symbols/instrumentation.h"
#include "symbols/symbols.h"

namespace heddle::cli {

namespace {

constexpr uint64_t kDefaultExecutions = 10'000;
constexpr double kDefaultSeconds = 120;
constexpr uint64_t kFewRuns = 16;
constexpr unsigned kMostDefaultJobs = 8;
// Of the time of a search, for runs under Valgrind; and the most where a search has no limit of time.
constexpr double kShareOfLearning = 0.25;
constexpr double kMostLearning = 60;

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const SearchRow& row : searches()) names.emplace_back(row.name);
  return names;
}

std::optional<std::string> given(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

}  // namespace

std::string carrier_name(Carrier carrier) { return carrier == Carrier::kFiber ? "fiber" : "kernel"; }
Carrier carrier_named(const std::string& name) { return name == "kernel" ? Carrier::kKernel : Carrier::kFiber; }

void CampaignOptions::add_to(Verb& verb, const char* points_by_default, Budget budget) {
  plan.add_base_to(verb, points_by_default);
  const bool suite = budget == Budget::kOfSuite;
  verb.number("--executions", executions,
              suite ? "how many schedules to try of each test [no limit but the time]"
                    : fmt::format("how many schedules to try at most [{}, or no limit with --time]", kDefaultExecutions));
  verb.seconds("--time", seconds,
               fmt::format("seconds to search at most{} [{:g}, or no limit with --executions]", suite ? ", all tests together" : "",
                           suite ? kSuiteSeconds : kDefaultSeconds));
  verb.number("--jobs,-j", jobs, "runs at a time, 0 for one per core; the result does not depend on it");
  verb.number("--early-timeouts", early_timeouts, "how many time-outs of at most one second may fire early");
  verb.number("--spurious-wakeups", spurious_wakeups, "how many waits on conditions may end without a signal");
  verb.one_of("--carrier", carrier, kCarriers, "what program threads run on: fiber is fast, kernel suits debuggers");
  verb.number("--expect-exit", expect_exit, "any other exit code is a failure");
  verb.text("--expect-stdout", expect_stdout, "a run that prints anything else than this file failed", "FILE");
  verb.text("--fails-if-output", fails_if_output, "a run with a matching output line failed", "REGEX");
  verb.text("--fails-if", fails_if, "a run failed if this exits with 0; it sees $HEDDLE_STDOUT, $HEDDLE_STDERR, $HEDDLE_EXIT", "COMMAND");
  verb.flag("--json", json, "one JSON document on stdout and nothing else there");
  verb.flag("--no-snapshots", fresh, "start a new process for each run");
  verb.flag("--real-files", real_files, "let runs write the files themselves, not a view that is wiped after each run");
}

void CampaignOptions::add_search_to(Verb& verb) {
  std::string list = "how to search:";
  for (const SearchRow& row : searches()) list += fmt::format("\n  {:<12}{}", row.name, row.words);
  verb.listed("--strategy", strategy, strategy_names(), list, "NAME");
  std::vector<std::string> bounded{""};  // no word of the user's: the portfolio
  for (const SearchRow& row : searches()) {
    if (row.takes_depth) bounded.emplace_back(row.name);
  }
  verb.number("--depth", depth, "bug depth, preemption bound or delay bound, where the strategy has one");
  verb.only_with("--depth", "--strategy", strategy, bounded);
  verb.text("--around", around, "gaussian: the recorded run whose switches are moved, a bug or a trace file [a run of its own]", "RUN");
  verb.flag("--no-timing", no_timing, "do not let sleeps, time-outs and waits on conditions end early in a share of the runs");
  verb.flag("--resume", resume, "continue where earlier searches of this program stopped");
  verb.flag("--no-retry", no_retry, "do not try the saved schedules of known bugs first");
}

Predicates CampaignOptions::predicates() const {
  Predicates p;
  p.expect_exit = expect_exit;
  if (!expect_stdout.empty()) p.expect_stdout = read_file(expect_stdout);
  p.fails_if_output = given(fails_if_output);
  p.fails_if = given(fails_if);
  p.ctest_rule = ctest_rule;
  return p;
}

FindOptions CampaignOptions::find_options() const {
  FindOptions find;
  find.executions = executions.value_or(seconds ? ~uint64_t{0} : kDefaultExecutions);
  find.seconds = seconds.value_or(executions ? 0 : kDefaultSeconds);
  find.stop = &stop_flag();
  find.keep_going = keep_going;
  // A few runs are made to their end, as far as that is.
  find.grow = !plan.events_given() && find.executions > kFewRuns;
  const int expected = expect_exit;
  find.fails = [expected](const Trace& trace) { return is_failure(trace.outcome(), expected); };
  return find;
}

std::string CampaignOptions::strategy_name() const {
  if (!strategy.empty()) return strategy;
  return search_named("portfolio") != nullptr ? "portfolio" : "random";
}

Campaign::Campaign(const Target& target, const CampaignOptions& options, const Predicates& predicates, std::shared_ptr<const Input> input)
    : target_(target),
      input_(std::move(input)),
      judge_(std::make_shared<Judge>(predicates)),
      base_(options.plan.plan()),
      build_id_(Symbols({target.program}).build_id(0)) {
  base_.tail = PolicySpec{};
  base_.input_id = input_->id();
  RunnerOptions runner;
  runner.library = runtime_library();
  runner.carrier = carrier_named(options.carrier);
  runner.input = input_;
  runner.judge = judge_;
  // A race detector inside the program has threads and mappings of its own, which a copy of the process would not have.
  runner.serve = !options.fresh && build_of(target.program).instrumentation != Instrumentation::kStaticDetector;
  runner.files = options.files;
  runner.inputs = options.inputs;
  runner.real_files = options.real_files;
  runner.stop = &stop_flag();
  runner_options_ = runner;
  const auto cores = static_cast<unsigned>(usable_cores().size());
  pool_ = std::make_unique<WorkerPool>(target_, runner, options.jobs != 0 ? options.jobs : std::clamp(cores, 1u, kMostDefaultJobs));
}

void Campaign::choose_points(const CampaignOptions& options) {
  points_ = heddle::cli::choose_points(
      target_, options.plan.points(), base_, options.plan.seed(), [this](const Plan& plan) { return pool_->run_now(plan).trace; },
      [&](PointKind kind) { return learn(kind, options); });
  if (!points_.note.empty()) print_err("heddle: {}\n", points_.note);
  tell_learnt();
  points_.put_in(base_);
}

LearnLimits Campaign::learn_limits(const CampaignOptions& options) {
  LearnLimits limits;
  const double seconds = options.find_options().seconds;
  limits.seconds = seconds > 0 ? seconds * kShareOfLearning : kMostLearning;
  return limits;
}

LearntPoints Campaign::learn(PointKind kind, const CampaignOptions& options) {
  return learn_points(target_, runner_options_, kind, base_, options.plan.seed(), learn_limits(options),
                      [this](const Plan& plan) { return pool_->run_now(plan).trace; });
}

bool Campaign::may_learn(const CampaignOptions& options) const {
  return !options.plan.points() && options.strategy.empty() && options.test.empty() && !target_.script && !options.fresh &&
         build_of(target_.program).instrumentation == Instrumentation::kNone && find_valgrind_tool().present();
}

bool Campaign::must_learn(const CampaignOptions& options) const {
  const auto wanted = options.plan.points();
  return wanted && *wanted != PointKind::kSync && !target_.script && build_of(target_.program).instrumentation == Instrumentation::kNone;
}

void Campaign::adopt(PointSet learnt, Plan base) {
  points_ = std::move(learnt);
  points_.put_in(base);
  base_ = std::move(base);
}

void Campaign::learn_at_once(const CampaignOptions& options) {
  if (threadless() || stop_flag()) return;
  PointSet learnt = points_of(learn(PointKind::kRacy, options), PointKind::kRacy);
  if (learnt.sites.empty()) {
    points_ = std::move(learnt);
    return;
  }
  adopt(std::move(learnt), base_);
  tell_learnt();
}

void Campaign::tell_learnt() const {
  if (!points_.learnt) return;
  print_err("heddle: {}\n", words_about(*points_.learnt));
  for (const std::string& sentence : points_.learnt->unseen) print_err("heddle: {}\n", sentence);
}

bool Campaign::learns_points(const CampaignOptions& options) const {
  const auto wanted = options.plan.points();
  return build_of(target_.program).instrumentation == Instrumentation::kPresent && (!wanted || *wanted == PointKind::kRacy);
}

Plan Campaign::replay_plan(const Trace& trace) const {
  Plan plan = plan_of(trace, Strictness::kStrict);
  plan.limits = base_.limits;
  plan.limits.events = std::max<uint64_t>(plan.limits.events, trace.data().executed + 1000);
  return plan;
}

// Where in the source a replay went its own way: what is not controlled is found near it.
static std::string place_of_event(const Trace& trace, size_t at) {
  if (at >= trace.events().size() || trace.events()[at].site == kNoSite) return "";
  std::vector<std::string> paths;
  for (const auto& module : trace.modules()) paths.push_back(module.path);
  const SiteId site = trace.events()[at].site;
  return fmt::format(", at {}", Symbols(std::move(paths)).describe(site_module(site), site_offset(site)));
}

Confirmation Campaign::confirm(const Trace& trace, int times) {
  Confirmation confirmation;
  const Plan plan = replay_plan(trace);
  for (int i = 0; i < times && confirmation.believed; ++i) {
    RunResult again = pool_->run_now(plan);
    std::string why;
    const size_t at = first_difference(trace, again.trace, &why);
    if (at != kNoDifference) {
      confirmation.why_not = is_inconclusive(again.trace.outcome()) ? again.trace.outcome().message : why;
      confirmation.why_not += place_of_event(trace, at);
    } else if (!same_bug(trace, again.trace)) {
      confirmation.why_not = fmt::format("the same events failed in another way: {}", describe_failure(again.trace));
    } else {
      confirmation.output = std::move(again.output);
      continue;
    }
    confirmation.believed = false;
    confirmation.other = again.trace;
  }
  return confirmation;
}

Bug Campaign::bug_of(const Trace& trace, const CampaignOptions& options) const {
  Bug bug;
  bug.command = target_.arguments;
  bug.program = target_.program;
  bug.directory = target_.directory;
  bug.test = options.test;
  bug.environment = options.environment;
  bug.whole_environment = options.whole_environment;
  if (!trace.modules().empty()) bug.build_id = Symbols({trace.modules().front().path}).build_id(0);
  bug.kind = name(trace.outcome().kind);
  bug.message = trace.outcome().message;
  bug.signature = signature(trace);
  bug.carrier = options.carrier;
  bug.strategy = options.strategy_name();
  bug.seed = options.plan.seed();
  bug.env_seed = base_.env_seed;
  const Predicates& p = judge_->predicates();
  bug.expect_exit = p.expect_exit;
  bug.expect_stdout = p.expect_stdout;
  bug.fails_if_output = p.fails_if_output;
  bug.fails_if = p.fails_if;
  bug.ctest_rule = p.ctest_rule;
  bug.found = trace.counts();
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  bug.saved_at = text;
  return bug;
}

std::shared_ptr<const Input> input_of_tool() {
  std::string note;
  auto input = Input::copy_of(0, &note);
  if (!note.empty()) print_err("heddle: {}\n", note);
  return input;
}

}  // namespace heddle::cli
