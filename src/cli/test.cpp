// heddle test: every test of a suite under many schedules, with one budget for all of them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "cli/print.h"
#include "cli/session.h"
#include "cli/suite_report.h"
#include "cli/suite_run.h"
#include "cli/test_lists.h"
#include "suite/framework.h"

namespace heddle::cli {

namespace {

constexpr double kSimplifySeconds = 10;

struct TestArguments {
  SuiteOptions suite;
  std::string ctest;
  std::string shard;
  std::string filter, label;
  std::string baseline;
  SuiteFiles files;
  std::vector<std::string> expected, suppressed;
  bool list = false;
  bool no_explain = false;
};

std::regex pattern(const std::string& option, const std::string& text) {
  try {
    return std::regex(text, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    throw Error(fmt::format("{} {}: not a regular expression", option, text), ExitCode::kUsage);
  }
}

// What heddle_add_test made searches schedules by itself.
void leave_out_own(suite::TestList& list) {
  const size_t own = std::erase_if(list.cases, [](const suite::TestCase& test) {
    const bool labelled = std::find(test.labels.begin(), test.labels.end(), "heddle") != test.labels.end();
    return labelled && !test.command.empty() && test.command.front().ends_with("/heddle");
  });
  if (own > 0)
    print_err("heddle: {} test{} heddle and {} left to ctest -L heddle\n", own, own == 1 ? " runs" : "s run", own == 1 ? "is" : "are");
}

suite::TestList tests_of(const Session& session, const TestArguments& options) {
  suite::TestList list;
  if (options.ctest.empty() && !options.label.empty()) throw Error("--label is for --ctest: a test binary has no labels", ExitCode::kUsage);
  if (!options.ctest.empty()) {
    session.no_program("test --ctest");
    list = ctest_tests(options.ctest);
    leave_out_own(list);
  } else {
    const Target target = Target::resolve(session.program());
    const auto framework = framework_of(target);
    if (!framework)
      throw Error(
          fmt::format("{} is not built with GoogleTest, Catch2 or doctest: heddle debug tests it as a whole", session.program().front()));
    list = list_tests(target, *framework);
  }
  if (!options.filter.empty()) {
    const std::regex wanted = pattern("--filter", options.filter);
    std::erase_if(list.cases, [&](const suite::TestCase& test) { return !std::regex_search(test.name, wanted); });
    if (list.cases.empty()) throw Error(fmt::format("no test matches {}", options.filter));
  }
  if (!options.label.empty()) {
    const std::regex wanted = pattern("--label", options.label);
    const auto has = [&](const std::string& label) { return std::regex_search(label, wanted); };
    std::erase_if(list.cases, [&](const suite::TestCase& test) { return std::none_of(test.labels.begin(), test.labels.end(), has); });
    if (list.cases.empty()) throw Error(fmt::format("no test has a label that matches {}", options.label));
  }
  return list;
}

// A CTest test that runs a whole test binary becomes a test for each of its cases.
void expand_binaries(suite::TestList& list) {
  std::vector<suite::TestCase> all;
  for (suite::TestCase& test : list.cases) {
    std::optional<std::string> framework;
    try {
      const Target target = test.cannot.empty() ? target_of(test) : Target{};
      if (test.cannot.empty()) framework = framework_of(target);
      if (framework && !suite::has_filter(*framework, test.command) && !test.rule.any()) {
        for (suite::TestCase& one : list_tests(target, *framework).cases) {
          suite::TestCase part = test;
          part.name = test.name + ":" + one.name;
          part.command = std::move(one.command);
          all.push_back(std::move(part));
        }
        continue;
      }
    } catch (const Error&) {
      // As it is; a program that cannot be started says so when its turn comes.
    }
    all.push_back(std::move(test));
  }
  list.cases = std::move(all);
}

void expect_listed(SuiteResult& result, const TestArguments& options) {
  for (const std::string& text : options.suppressed) {
    const std::regex unwanted = pattern("--suppress", text);
    for (TestResult& test : result.tests) {
      test.expected |= is_bad(test.verdict) && (std::regex_search(test.words, unwanted) || std::regex_search(test.signature, unwanted));
    }
  }
  for (TestResult& test : result.tests)
    test.expected |=
        is_bad(test.verdict) && std::find(options.expected.begin(), options.expected.end(), test.name) != options.expected.end();
}

std::optional<SuiteResult> last_result() {
  try {
    return suite::read_result(suite_results_file());
  } catch (const Error&) {
    return std::nullopt;  // none yet
  }
}

void list_only(const suite::TestList& list, bool json) {
  Json tests = Json::array();
  for (const suite::TestCase& test : list.cases) {
    if (json) {
      tests.push_back({{"name", test.name}, {"command", test.command}});
    } else {
      print_out("{}\n", test.name);
    }
  }
  if (json) print_json({{"framework", list.framework}, {"tests", tests}});
}

int run_tests(const Session& session, TestArguments options) {
  if (!options.shard.empty()) options.suite.shard = suite::shard_of(options.shard);
  suite::TestList list = tests_of(session, options);
  if (!options.ctest.empty()) expand_binaries(list);
  CampaignOptions& campaign = options.suite.campaign;
  if (options.list) {
    list_only(list, campaign.json);
    return 0;
  }
  std::optional<SuiteResult> baseline;
  if (!options.baseline.empty()) baseline = suite::read_result(options.baseline);
  if (!campaign.executions && !campaign.seconds) campaign.seconds = kSuiteSeconds;
  options.suite.explain = !options.no_explain;
  catch_interrupts();
  Progress progress(campaign.json);
  SuiteRun run(std::move(list), options.suite, last_result());
  const size_t total = run.state().result->tests.size();
  const bool live = progress.set_table([&](size_t rows, size_t width) { return suite_table(run.state(), rows, width); });
  size_t settled = 0;
  std::vector<bool> told(total, false);
  SuiteResult result = run.run(progress, [&](const SuiteResult& so_far, size_t test) {
    ++settled;
    told[test] = true;
    if (live) return;
    const TestResult& row = so_far.tests[test];
    if (!campaign.json && row.verdict != TestVerdict::kPassed && !is_bad(row.verdict)) print_out("{}\n", row_text(row));
    if (!campaign.json && is_bad(row.verdict)) print_err("heddle: [{}/{}] {} {}\n", settled, total, name(row.verdict), row.name);
  });
  result.subject = options.ctest.empty() ? session.program().front() : options.ctest;
  if (baseline) expect_baseline(result, *baseline);
  expect_listed(result, options);
  Saving saving;
  saving.attempt([&] { write_suite(result, options.files); });
  if (campaign.json) {
    print_json(json_of(result));
  } else {
    // What had a turn and was to have another one.
    for (size_t i = 0; i < result.tests.size() && !live; ++i) {
      const TestResult& row = result.tests[i];
      if (!told[i] && row.verdict == TestVerdict::kCannotTest && row.missed == 0) print_out("{}\n", row_text(row));
    }
    print_suite(result, live);
  }
  return saving.exit_code(stop_flag() ? ExitCode::kInterrupted : static_cast<ExitCode>(suite_exit(result)));
}

void add_test(CLI::App& app, Session& session) {
  Verb verb(app, "test", "run every test of a suite under many schedules, with one budget for all", TakesProgram::kOrCTest);
  auto options = std::make_shared<TestArguments>();
  options->suite.debug.simplify.seconds = kSimplifySeconds;
  options->suite.campaign.add_to(verb, kRacyIfInstrumented, CampaignOptions::Budget::kOfSuite);
  options->suite.campaign.add_search_to(verb);
  verb.text("--ctest", options->ctest, "the tests of a CMake build directory, instead of a test binary", "DIRECTORY");
  verb.text("--filter", options->filter, "only the tests whose name matches", "REGEX");
  verb.text("--label", options->label, "with --ctest: only the tests with a label that matches", "REGEX");
  verb.text("--shard", options->shard, "the I-th of N parts of the suite; heddle merge joins them", "I/N");
  verb.text("--baseline", options->baseline, "an earlier results.json: failures that it lists do not fail the build", "FILE");
  verb.texts("--expected-failure", options->expected, "a test that is known to fail; may be given several times", "NAME");
  verb.texts("--suppress", options->suppressed, "failures whose message matches do not fail the build; may be given several times",
             "REGEX");
  options->files.add_to(verb);
  verb.flag("--partial", options->suite.partial,
            "leave tests for which the time is too short to the next run; the result is then not inconclusive");
  verb.flag("--list", options->list, "only list the tests");
  verb.flag("--no-explain", options->no_explain, "only find failures: no simplified schedules and no pages");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_tests(session, *options); }; });
}

constexpr VerbRow kTestVerb{15, add_test};
HEDDLE_ROW(verbs, kTestVerb);

}  // namespace

}  // namespace heddle::cli
