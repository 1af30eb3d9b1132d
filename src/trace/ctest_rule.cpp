#include "trace/ctest_rule.h"

#include <charconv>
#include <sstream>

#include "trace/error.h"

namespace heddle::trace {

namespace {

// An expression may span lines.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\') line += "\\\\";
    if (c == '\n') line += "\\n";
    if (c != '\\' && c != '\n') line += c;
  }
  return line;
}

std::string off_one_line(const std::string& line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    text += !escape ? line[i] : line[i + 1] == 'n' ? '\n' : line[i + 1];
    if (escape) ++i;
  }
  return text;
}

}  // namespace

std::string ctest_rule_text(const CTestRule& rule) {
  std::string text;
  for (const std::string& expression : rule.passes) text += "pass " + on_one_line(expression) + "\n";
  for (const std::string& expression : rule.fails) text += "fail " + on_one_line(expression) + "\n";
  for (const std::string& expression : rule.skips) text += "skip " + on_one_line(expression) + "\n";
  if (rule.skip_code) text += "skip-code " + std::to_string(*rule.skip_code) + "\n";
  if (rule.will_fail) text += "will-fail\n";
  return text;
}

CTestRule ctest_rule_of(const std::string& text) {
  CTestRule rule;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, space), rest = line.substr(std::min(space + 1, line.size()));
    if (word == "pass") {
      rule.passes.push_back(off_one_line(rest));
    } else if (word == "fail") {
      rule.fails.push_back(off_one_line(rest));
    } else if (word == "skip") {
      rule.skips.push_back(off_one_line(rest));
    } else if (int code = 0;
               word == "skip-code" && std::from_chars(rest.data(), rest.data() + rest.size(), code).ptr == rest.data() + rest.size()) {
      rule.skip_code = code;
    } else if (line == "will-fail") {
      rule.will_fail = true;
    } else {
      throw Error("how CTest judged the bug's runs cannot be read: it was damaged, or written by a later version");
    }
  }
  return rule;
}

}  // namespace heddle::trace
