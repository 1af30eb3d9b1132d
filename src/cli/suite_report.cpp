#include "cli/suite_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/print.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/story.h"
#include "report/sarif.h"
#include "report/suite.h"
#include "store/atomic_file.h"
#include "store/root.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

std::string in_suite(const std::string& file) { return in_store("suite/" + file); }

std::string summary_of(const std::vector<const TestResult*>& tests) {
  std::string text;
  const auto add = [&](TestVerdict verdict, const char* words) {
    const auto n = std::count_if(tests.begin(), tests.end(), [&](const TestResult* test) { return test->verdict == verdict; });
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, words);
  };
  add(TestVerdict::kFailure, "fail under some schedule");
  add(TestVerdict::kFailsAlways, "fail always");
  add(TestVerdict::kFlaky, "fail depending on real time");
  add(TestVerdict::kPassed, "passed");
  add(TestVerdict::kNoThreads, "start no threads");
  const auto unreached = std::count_if(tests.begin(), tests.end(), [](const TestResult* test) { return test->missed > 0; });
  const auto cannot =
      std::count_if(tests.begin(), tests.end(), [](const TestResult* test) { return test->verdict == TestVerdict::kCannotTest; });
  if (cannot > unreached) text += fmt::format("{}{} cannot be tested", text.empty() ? "" : ", ", cannot - unreached);
  if (unreached > 0) text += fmt::format("{}{} not reached", text.empty() ? "" : ", ", unreached);
  return text;
}

std::vector<const TestResult*> pointers_to(const std::vector<TestResult>& tests) {
  std::vector<const TestResult*> all;
  for (const TestResult& test : tests) all.push_back(&test);
  return all;
}

// Where the page of each test's bug is, seen from the directory of the overview.
std::vector<std::string> pages(const SuiteResult& result, const fs::path& from) {
  std::vector<std::string> all;
  for (const TestResult& test : result.tests) {
    const fs::path page = fs::path(test.bug) / kPageFile;
    std::error_code failure;
    const bool there = !test.bug.empty() && fs::exists(page, failure);
    all.push_back(there ? fs::relative(page, from.empty() ? fs::path(".") : from, failure).string() : "");
  }
  return all;
}

std::string all_sarif(const SuiteResult& result) {
  std::vector<std::string> texts;
  for (const TestResult& test : result.tests) {
    if (test.bug.empty() || test.expected) continue;
    try {
      texts.push_back(sarif_text(load_story(test.bug.substr(test.bug.rfind('/') + 1)).story()));
    } catch (const Error& error) {
      print_err("heddle: {}: {}\n", test.bug, error.what());
    }
  }
  return joined_sarif(texts);
}

}  // namespace

void SuiteFiles::add_to(Verb& verb) {
  verb.text("--junit", junit, "write JUnit's XML here, too", "FILE");
  verb.text("--sarif", sarif, "write all bugs as SARIF here, too", "FILE");
  verb.text("--html", html, "write the overview here, too", "FILE");
}

std::string suite_results_file() { return in_suite("results.json"); }

std::string row_text(const TestResult& test) {
  std::string text = fmt::format("{:<19} {}", name(test.verdict), test.name);
  if (test.executions > 0) text += fmt::format("  {} run{}, {:.2f} s", test.executions, test.executions == 1 ? "" : "s", test.seconds);
  if (!test.bug.empty()) text += "  " + test.bug;
  if (!test.words.empty()) text += "\n" + std::string(20, ' ') + test.words;
  return text;
}

void write_suite(const SuiteResult& result, const SuiteFiles& options) {
  make_directory(in_store("suite"));
  const std::string junit = suite_junit(result), sarif = all_sarif(result);
  replace_file(suite_results_file(), json_of(result).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  replace_file(in_suite("junit.xml"), junit);
  replace_file(in_suite("results.sarif"), sarif);
  replace_file(in_suite("index.html"), suite_page(result, pages(result, in_store("suite"))));
  if (!options.junit.empty()) replace_file(options.junit, junit);
  if (!options.sarif.empty()) replace_file(options.sarif, sarif);
  if (!options.html.empty()) replace_file(options.html, suite_page(result, pages(result, fs::path(options.html).parent_path())));
}

std::string summary_of_begun(const SuiteState& state) {
  std::vector<const TestResult*> begun;
  for (const size_t test : state.turns) {
    const bool known = state.settled[test] || state.result->tests[test].verdict != TestVerdict::kCannotTest;
    if (known) begun.push_back(&state.result->tests[test]);
  }
  return summary_of(begun);
}

void print_suite(const SuiteResult& result, bool with_untested) {
  double seconds = 0;
  for (const TestResult& test : result.tests) seconds += test.seconds;
  for (const bool bad : {false, true}) {
    for (const TestResult& test : result.tests) {
      const bool untested = test.verdict == TestVerdict::kCannotTest && test.missed == 0;
      const bool shown = bad || test.verdict == TestVerdict::kPassed || (with_untested && untested);
      if (is_bad(test.verdict) == bad && shown) print_out("{}\n", row_text(test));
    }
  }
  print_out("\n{} test{} of {}, {:.1f} s: {}\n", result.tests.size(), result.tests.size() == 1 ? "" : "s", result.framework, seconds,
            summary_of(pointers_to(result.tests)));
  const size_t expected =
      static_cast<size_t>(std::count_if(result.tests.begin(), result.tests.end(), [](const TestResult& test) { return test.expected; }));
  if (expected > 0) print_out("{} of these failures {} expected\n", expected, expected == 1 ? "is" : "are");
  if (const size_t n = result.not_reached(); n > 0)
    print_out("no time was left for {} of the {} tests{}: they are first next time; more --time or --shard reaches them now\n", n,
              result.tests.size(), result.partial ? "" : ", so this is inconclusive");
  print_out("PAGE   {}\n", in_suite("index.html"));
}

int suite_exit(const SuiteResult& result) {
  if (result.news() > 0) return exit_value(ExitCode::kFailure);
  return exit_value(std::string_view(result.verdict()) == "inconclusive" && !result.tests.empty() ? ExitCode::kCannotTest
                                                                                                  : ExitCode::kNothing);
}

}  // namespace heddle::cli
