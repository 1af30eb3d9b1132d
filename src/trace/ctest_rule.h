#pragma once
// How CTest judges a run that ended by itself: the properties of a test beyond its exit code.
#include <optional>
#include <string>
#include <vector>

namespace heddle::trace {

struct CTestRule {
  std::vector<std::string> passes;  // PASS_REGULAR_EXPRESSION: one of them must match, and then the exit code does not count
  std::vector<std::string> fails;   // FAIL_REGULAR_EXPRESSION
  std::vector<std::string> skips;   // SKIP_REGULAR_EXPRESSION
  std::optional<int> skip_code;     // SKIP_RETURN_CODE
  bool will_fail = false;           // WILL_FAIL: what would pass fails

  bool any() const { return !passes.empty() || !fails.empty() || !skips.empty() || skip_code || will_fail; }
  bool operator==(const CTestRule&) const = default;
};

// The form in which bugs and replay strings carry it: a line for each property.
std::string ctest_rule_text(const CTestRule& rule);
// Throws Error with one sentence for a text that is none.
CTestRule ctest_rule_of(const std::string& text);

// What the outcome of a run that skipped its test says; such a run neither passed nor failed.
inline constexpr const char* kSkippedTest = "it skips itself";

}  // namespace heddle::trace
