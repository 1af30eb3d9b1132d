#include "cli/suite_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/suite_report.h"

namespace heddle::cli {

namespace {

constexpr size_t kHeadRows = 2;

std::string cut(std::string text, size_t width) {
  if (text.size() > width) text.resize(width);
  return text;
}

// What fails first, then the test that runs now, then those that had a turn last.
std::vector<size_t> shown_tests(const SuiteState& state, size_t most) {
  std::vector<size_t> shown;
  const auto add = [&](size_t test) {
    if (shown.size() < most && std::find(shown.begin(), shown.end(), test) == shown.end()) shown.push_back(test);
  };
  if (!state.turns.empty() && most > 0) shown.push_back(state.turns.back());
  for (const size_t test : state.turns) {
    if (is_bad(state.result->tests[test].verdict)) add(test);
  }
  for (size_t i = state.turns.size(); i-- > 0;) add(state.turns[i]);
  const auto rank = [&](size_t test) { return is_bad(state.result->tests[test].verdict) ? 0 : test == state.turns.back() ? 1 : 2; };
  std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
  return shown;
}

std::string word_of(const SuiteState& state, size_t test) {
  if (state.settled[test]) return name(state.result->tests[test].verdict);
  if (test == state.turns.back()) return "running";
  return state.result->tests[test].verdict == TestVerdict::kPassed ? "passed so far" : "waits";
}

}  // namespace

std::vector<std::string> suite_table(const SuiteState& state, size_t rows, size_t width) {
  const auto settled = static_cast<size_t>(std::count(state.settled.begin(), state.settled.end(), true));
  std::vector<std::string> lines;
  lines.push_back(cut(fmt::format("{} of {} tests begun, {} settled{}: {}", state.turns.size(), state.result->tests.size(), settled,
                                  state.left ? fmt::format(", {:.0f} s left", std::max(*state.left, 0.0)) : "", summary_of_begun(state)),
                      width));
  lines.push_back(cut(fmt::format("{:<19} {:>9} {:>9}  {}", "VERDICT", "RUNS", "SECONDS", "TEST"), width));
  for (const size_t test : shown_tests(state, rows > kHeadRows ? rows - kHeadRows : 0)) {
    const TestResult& row = state.result->tests[test];
    lines.push_back(cut(fmt::format("{:<19} {:>9} {:>9.1f}  {}", word_of(state, test), row.executions, row.seconds, row.name), width));
  }
  return lines;
}

}  // namespace heddle::cli
