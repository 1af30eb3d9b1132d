#include "cli/narrow.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/print.h"
#include "cli/suite_run.h"
#include "cli/test_lists.h"
#include "suite/framework.h"

namespace heddle::cli {

namespace {

// The rest is for the program as a whole: tests may fail only together.
constexpr double kShare = 0.75;
// Of that, for runs of the whole, which try a schedule of each test at once.
constexpr double kShareOfWhole = 0.2;
constexpr uint64_t kRunsOfWhole = 64;

class Narrowing {
 public:
  Narrowing(const Target& target, const CampaignOptions& options, std::string framework, suite::TestList list, Progress& progress)
      : target_(target), options_(options), framework_(std::move(framework)), list_(std::move(list)), progress_(progress) {
    const FindOptions budget = options.find_options();
    seconds_ = kShare * budget.seconds;
  }

  std::optional<suite::TestCase> go() {
    const std::vector<std::string> suspects = failed_together();
    if (!suspects.empty()) {
      suite::TestList first = list_;
      std::erase_if(first.cases,
                    [&](const suite::TestCase& test) { return std::find(suspects.begin(), suspects.end(), test.name) == suspects.end(); });
      if (auto found = first.cases.empty() ? std::nullopt : failing_of(std::move(first))) return found;
    }
    if (auto found = failing_of(list_)) return found;
    const std::string unreached = not_reached_ > 0 ? fmt::format(" ({} not reached)", not_reached_) : "";
    print_err("heddle: none of {} {} tests fails alone in {} runs{}: searching the whole program\n", list_.cases.size(), framework_, runs_,
              unreached);
    return std::nullopt;
  }

 private:
  // What failed in the first run of the whole in which something fails that does not always fail, by what the run printed. What fails without
  // a preemption fails always, or is found among the others.
  std::vector<std::string> failed_together() {
    std::vector<std::string> always;
    progress_.show("running all tests together");
    try {
      Campaign whole(target_, options_, options_.predicates(), Input::of_bytes(""));
      const Deadline::Scope limit(whole.pool().deadline(), kShareOfWhole * seconds_);
      const uint64_t most = options_.executions ? std::min(kRunsOfWhole, *options_.executions / 10) : kRunsOfWhole;
      for (uint64_t run = 0; run < most && !stop_flag() && (seconds_ <= 0 || spent() < kShareOfWhole * seconds_); ++run) {
        Plan plan = whole.base();
        if (run > 0) plan.tail = random_policy(options_.plan.seed(), run);
        const RunResult result = whole.pool().run_now(plan);
        ++runs_;
        if (whole.threadless()) return {};
        if (!whole.fails(result.trace)) continue;
        std::vector<std::string> failed = suite::failed_tests(framework_, result.output.out);
        if (run == 0) always = failed;
        std::erase_if(failed, [&](const std::string& name) { return std::find(always.begin(), always.end(), name) != always.end(); });
        if (!failed.empty()) return failed;
      }
    } catch (const Error&) {
      // Where the whole cannot be run, or not in this time, its tests may be.
      if (stop_flag()) throw;
    }
    return {};
  }

  // Each by itself, until one fails.
  std::optional<suite::TestCase> failing_of(suite::TestList list) {
    const std::vector<suite::TestCase> cases = list.cases;
    SuiteOptions suite;
    suite.campaign = options_;
    suite.campaign.no_retry = true;
    suite.campaign.seconds = seconds_ > 0 ? std::optional(std::max(seconds_ - spent(), 0.01)) : std::nullopt;
    suite.campaign.executions =
        options_.executions ? std::optional(std::max<uint64_t>(1, *options_.executions / list_.cases.size())) : std::nullopt;
    suite.first_only = true;
    suite.explain = false;
    suite.keep = false;
    const suite::SuiteResult result =
        SuiteRun(std::move(list), suite, std::nullopt).run(progress_, [](const suite::SuiteResult&, size_t) {});
    for (const suite::TestResult& test : result.tests) runs_ += test.executions;
    not_reached_ = result.not_reached();
    for (size_t i = 0; i < cases.size(); ++i) {
      const suite::TestVerdict verdict = result.tests[i].verdict;
      if (verdict != suite::TestVerdict::kFailure && verdict != suite::TestVerdict::kFailsAlways) continue;
      print_err("heddle: of {} {} tests, {} fails: debugging it alone\n", list_.cases.size(), framework_, cases[i].name);
      return cases[i];
    }
    return std::nullopt;
  }

  double spent() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(); }

  const Target& target_;
  const CampaignOptions& options_;
  const std::string framework_;
  const suite::TestList list_;
  Progress& progress_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  double seconds_ = 0;  // 0: no limit
  uint64_t runs_ = 0;
  size_t not_reached_ = 0;
};

}  // namespace

std::optional<suite::TestCase> failing_test(const Target& target, const CampaignOptions& options, Progress& progress) {
  const std::optional<std::string> framework = framework_of(target);
  if (!framework || suite::has_filter(*framework, target.arguments)) return std::nullopt;
  suite::TestList list;
  try {
    list = list_tests(target, *framework);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (list.cases.size() < 2) return std::nullopt;
  return Narrowing(target, options, *framework, std::move(list), progress).go();
}

}  // namespace heddle::cli
