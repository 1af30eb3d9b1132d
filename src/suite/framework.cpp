#include "suite/framework.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "trace/error.h"

namespace heddle::suite {

namespace {

struct FrameworkRow {
  const char* name;
  std::vector<std::string> marks;  // texts that only programs with this framework hold: an option's name, its library's
  std::vector<std::string> asks;
  std::vector<std::string> (*names)(const std::string& listing);
  std::vector<std::string> (*failed)(const std::string& output);
  std::vector<std::string> filters;  // options of the user's own that choose; what follows "=" is theirs
  std::string (*filter)(const std::string& name);
};

// GoogleTest's names hold no character with a meaning in a filter but the slash, which has none.
std::string gtest_filter(const std::string& name) { return "--gtest_filter=" + name; }

std::string escaped(const std::string& name, std::string_view special) {
  std::string out;
  for (const char c : name) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string catch_filter(const std::string& name) {
  std::string out = escaped(name, "\\,[]\"");
  if (out.starts_with('*') || out.starts_with('~')) out.insert(0, 1, '\\');
  return out;
}

std::string doctest_filter(const std::string& name) { return "--test-case=" + escaped(name, "\\,"); }

std::string without_end(std::string line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// "[  FAILED  ] Suite.Case (2 ms)", in the summary "[  FAILED  ] Suite.Case, where GetParam() = 1"; a crash ends behind "[ RUN      ] Suite.Case".
std::vector<std::string> gtest_failed(const std::string& output) {
  static constexpr std::string_view kRun = "[ RUN      ] ", kOk = "[       OK ] ", kFailed = "[  FAILED  ] ";
  std::vector<std::string> names;
  std::istringstream lines(output);
  std::string under_way;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kRun)) under_way = without_end(line.substr(kRun.size()));
    if (line.starts_with(kOk)) under_way.clear();
    if (!line.starts_with(kFailed)) continue;
    const std::string name = line.substr(kFailed.size());
    names.push_back(name.substr(0, name.find_first_of(" ,\r")));
    under_way.clear();
  }
  if (!under_way.empty()) names.push_back(under_way);
  return names;
}

// The name lies between two lines of dashes; names of sections follow it.
std::vector<std::string> catch_failed(const std::string& output) {
  constexpr size_t kRule = 40;
  std::vector<std::string> names;
  std::istringstream lines(output);
  bool behind_rule = false;
  for (std::string line; std::getline(lines, line);) {
    line = without_end(line);
    if (behind_rule && !line.empty()) names.push_back(line);
    behind_rule = line.size() > kRule && line.find_first_not_of('-') == std::string::npos;
  }
  return names;
}

std::vector<std::string> doctest_failed(const std::string& output) {
  static constexpr std::string_view kCase = "TEST CASE:  ";
  std::vector<std::string> names;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kCase)) names.push_back(without_end(line.substr(kCase.size())));
  }
  return names;
}

const std::vector<FrameworkRow>& rows() {
  static const std::vector<FrameworkRow> all = {
      {"GoogleTest",
       {"gtest_list_tests", "libgtest.so"},
       {"--gtest_list_tests"},
       gtest_names,
       gtest_failed,
       {"--gtest_filter"},
       gtest_filter},
      {"Catch2", {"list-test-names-only"}, {"--list-test-names-only"}, catch_names, catch_failed, {}, catch_filter},
      {"doctest",
       {"list-test-cases"},
       {"--list-test-cases", "--reporters=xml"},
       doctest_names,
       doctest_failed,
       {"--test-case", "-tc", "--dt-test-case", "--test-suite", "-ts"},
       doctest_filter},
  };
  return all;
}

const FrameworkRow& row_named(const std::string& name) {
  return *std::find_if(rows().begin(), rows().end(), [&](const FrameworkRow& row) { return name == row.name; });
}

bool is_filter(const FrameworkRow& row, const std::string& word) {
  return std::any_of(row.filters.begin(), row.filters.end(),
                     [&](const std::string& option) { return word == option || word.starts_with(option + "="); });
}

// Catch2 takes a test's name as a plain word.
bool chooses(const FrameworkRow& row, const std::string& word) {
  return is_filter(row, word) || (std::string_view(row.name) == "Catch2" && !word.starts_with('-'));
}

std::string unescaped_xml(std::string text) {
  for (const auto& [from, to] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}}) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; ++at) text.replace(at, std::string(from).size(), to);
  }
  return text;
}

}  // namespace

// "Suite." and below it "  Case  # GetParam() = 1". Disabled ones are left out, as a plain run leaves them out.
std::vector<std::string> gtest_names(const std::string& listing) {
  std::vector<std::string> names;
  std::istringstream lines(listing);
  std::string line, group;
  while (std::getline(lines, line)) {
    const std::string word = without_end(line.substr(0, line.find('#')));
    if (word.empty()) continue;
    if (word.front() != ' ') {
      group = word.ends_with('.') ? word : "";
      continue;
    }
    const std::string name = word.substr(word.find_first_not_of(' '));
    const bool disabled = name.starts_with("DISABLED_") || group.starts_with("DISABLED_") || group.find("/DISABLED_") != std::string::npos;
    if (!group.empty() && !disabled && name.find(' ') == std::string::npos) names.push_back(group + name);
  }
  return names;
}

// One name a line.
std::vector<std::string> catch_names(const std::string& listing) {
  std::vector<std::string> names;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    if (line = without_end(line); !line.empty()) names.push_back(line);
  }
  return names;
}

// <TestCase name="..." .../>; skipped ones say so.
std::vector<std::string> doctest_names(const std::string& listing) {
  std::vector<std::string> names;
  for (size_t at = 0; (at = listing.find("<TestCase ", at)) != std::string::npos; ++at) {
    const std::string tag = listing.substr(at, listing.find('>', at) - at);
    const size_t begin = tag.find("name=\"");
    if (begin == std::string::npos || tag.find("skipped=\"true\"") != std::string::npos) continue;
    const size_t from = begin + 6;
    names.push_back(unescaped_xml(tag.substr(from, tag.find('"', from) - from)));
  }
  return names;
}

std::optional<std::string> framework_of(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const FrameworkRow& row : rows()) {
    if (std::any_of(row.marks.begin(), row.marks.end(), [&](const std::string& mark) { return bytes.find(mark) != std::string::npos; }))
      return row.name;
  }
  return std::nullopt;
}

bool has_filter(const std::string& framework, const std::vector<std::string>& command) {
  const FrameworkRow& row = row_named(framework);
  return std::any_of(command.begin() + 1, command.end(), [&](const std::string& word) { return chooses(row, word); });
}

std::vector<std::string> failed_tests(const std::string& framework, const std::string& output) {
  return row_named(framework).failed(output);
}

std::vector<std::string> listing_command(const std::string& framework, const std::vector<std::string>& command) {
  const FrameworkRow& row = row_named(framework);
  std::vector<std::string> words = command;
  words.insert(words.end(), row.asks.begin(), row.asks.end());
  return words;
}

TestList listed_tests(const std::string& framework, const std::vector<std::string>& command, const std::string& listing) {
  const FrameworkRow& row = row_named(framework);
  TestList list;
  list.framework = framework;
  std::vector<std::string> kept;
  for (size_t i = 0; i < command.size(); ++i) {
    if (i == 0 || !chooses(row, command[i])) kept.push_back(command[i]);
  }
  for (const std::string& name : row.names(listing)) {
    TestCase test;
    test.name = name;
    test.command = kept;
    test.command.push_back(row.filter(name));
    list.cases.push_back(std::move(test));
  }
  if (list.cases.empty()) throw Error(fmt::format("{} is built with {} and lists no test", command.front(), framework));
  return list;
}

}  // namespace heddle::suite
