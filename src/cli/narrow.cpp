#include "cli/narrow.h"

#include <fmt/format.h>

#include "cli/print.h"
#include "cli/suite_run.h"
#include "cli/test_lists.h"
#include "suite/framework.h"

namespace heddle::cli {

namespace {

// The rest is for the program as a whole: tests may fail only together.
constexpr double kShare = 0.75;

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
  const std::vector<suite::TestCase> cases = list.cases;
  SuiteOptions suite;
  suite.campaign = options;
  suite.campaign.no_retry = true;
  const FindOptions budget = options.find_options();
  suite.campaign.seconds = budget.seconds > 0 ? std::optional(kShare * budget.seconds) : std::nullopt;
  suite.campaign.executions = options.executions ? std::optional(std::max<uint64_t>(1, *options.executions / cases.size())) : std::nullopt;
  suite.first_only = true;
  suite.explain = false;
  suite.keep = false;
  const suite::SuiteResult result = SuiteRun(std::move(list), suite, std::nullopt).run(progress, [](const suite::SuiteResult&, size_t) {});
  uint64_t runs = 0;
  for (const suite::TestResult& test : result.tests) runs += test.executions;
  for (size_t i = 0; i < cases.size(); ++i) {
    const suite::TestVerdict verdict = result.tests[i].verdict;
    if (verdict != suite::TestVerdict::kFailure && verdict != suite::TestVerdict::kFailsAlways) continue;
    print_err("heddle: of {} {} tests, {} fails: debugging it alone\n", cases.size(), *framework, cases[i].name);
    return cases[i];
  }
  const std::string unreached = result.not_reached() > 0 ? fmt::format(" ({} not reached)", result.not_reached()) : "";
  print_err("heddle: none of {} {} tests fails alone in {} runs{}: searching the whole program\n", cases.size(), *framework, runs,
            unreached);
  return std::nullopt;
}

}  // namespace heddle::cli
