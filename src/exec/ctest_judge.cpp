#include "exec/ctest_judge.h"

#include <fmt/format.h>
#include <regex.h>

#include <cctype>

#include "exec/judge.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

// The end of a bracket expression that begins at `at`: its closing bracket, or the end of the text. A bracket that comes first stands for itself.
size_t end_of_brackets(const std::string& text, size_t at) {
  size_t from = at + 1;
  if (from < text.size() && text[from] == '^') ++from;
  if (from < text.size() && text[from] == ']') ++from;
  return std::min(text.find(']', from), text.size());
}

// CMake's expressions as POSIX's extended ones. The differences: braces have no meaning in CMake's, and a backslash takes the meaning from
// whatever follows, where glibc gives some letters and digits one.
std::string as_posix(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') {
      const size_t end = end_of_brackets(text, i);
      out.append(text, i, end - i + 1);
      i = end;
    } else if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      if (std::isalnum(static_cast<unsigned char>(next)) == 0) out += '\\';
      out += next;
    } else {
      if (c == '{' || c == '}') out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace

// Matched against the whole output, as CTest does: a dot matches the end of a line, too. glibc's matcher does not recurse over what it matches.
class CTestJudge::Expression {
 public:
  explicit Expression(const std::string& text) : text_(text), compiled_(std::make_shared<Compiled>()) {
    if (::regcomp(&compiled_->pattern, as_posix(text).c_str(), REG_EXTENDED | REG_NOSUB) != 0)
      throw Error(fmt::format("CTest's expression '{}' is not a regular expression", text));
    compiled_->made = true;
  }
  bool matches(const std::string& output) const {
    regmatch_t whole{0, static_cast<regoff_t>(output.size())};
    return ::regexec(&compiled_->pattern, output.c_str(), 1, &whole, REG_STARTEND) == 0;
  }
  const std::string& text() const { return text_; }

 private:
  struct Compiled {
    ~Compiled() {
      if (made) ::regfree(&pattern);
    }
    regex_t pattern{};
    bool made = false;
  };
  std::string text_;
  std::shared_ptr<Compiled> compiled_;
};

CTestJudge::CTestJudge(const CTestRule& rule) : rule_(rule) {
  for (const std::string& text : rule.passes) passes_.emplace_back(text);
  for (const std::string& text : rule.fails) fails_.emplace_back(text);
  for (const std::string& text : rule.skips) skips_.emplace_back(text);
}
CTestJudge::~CTestJudge() = default;

CTestJudge::Answer CTestJudge::answer(int exit_code, const Output& output) const {
  const std::string both = output.out + output.err;
  const auto matching = [&](const std::vector<Expression>& all) -> const Expression* {
    for (const Expression& one : all) {
      if (one.matches(both)) return &one;
    }
    return nullptr;
  };
  if (rule_.skip_code && exit_code == *rule_.skip_code) return {Said::kSkipped, fmt::format("{} (exit code {})", kSkippedTest, exit_code)};
  if (const Expression* skips = matching(skips_))
    return {Said::kSkipped, fmt::format("{} (its output matches '{}')", kSkippedTest, skips->text())};
  const Expression* fails = matching(fails_);
  const bool has_passed = passes_.empty() ? exit_code == 0 : matching(passes_) != nullptr;
  const bool passed = has_passed && fails == nullptr;
  if (passed != rule_.will_fail) return {};
  if (rule_.will_fail) return {Said::kFailed, "it passes, and CTest expects it to fail (WILL_FAIL)"};
  if (fails != nullptr) return {Said::kFailed, fmt::format("its output matches CTest's FAIL_REGULAR_EXPRESSION '{}'", fails->text())};
  if (!passes_.empty()) return {Said::kFailed, "its output matches none of CTest's PASS_REGULAR_EXPRESSION"};
  return {Said::kFailed, ""};
}

}  // namespace heddle::exec
