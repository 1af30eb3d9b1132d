#include "report/suite.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "report/junit.h"

namespace heddle::report {

namespace {

using Json = nlohmann::ordered_json;

std::string subject_name(const SuiteResult& result) {
  const std::string& subject = result.subject;
  const size_t slash =
      subject.find_last_not_of('/') == std::string::npos ? std::string::npos : subject.rfind('/', subject.find_last_not_of('/'));
  return slash == std::string::npos ? subject : subject.substr(slash + 1);
}

std::string junit_body(const TestResult& test) {
  const std::string words = xml_escaped(test.words);
  const std::string more =
      test.bug.empty() ? "" : xml_escaped(fmt::format("\nheddle explain {}\n", test.bug.substr(test.bug.rfind('/') + 1)));
  if (suite::is_bad(test.verdict) && !test.expected)
    return fmt::format("<failure type=\"{}\" message=\"{}\">{}{}</failure>", name(test.verdict), words, words, more);
  if (suite::is_bad(test.verdict)) return fmt::format("<skipped message=\"expected: {}\"/>", words);
  if (test.verdict == TestVerdict::kCannotTest) return fmt::format("<skipped message=\"{}\"/>", words);
  return {};
}

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --line: #ccc; --bad: #b3261e; --good: #1b6e33; --dim: #666; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --bad: #ff8a80; --good: #81c995; --dim: #aaa; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; } .bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); } .dim { color: var(--dim); }
code { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
)";

const char* class_of(const TestResult& test) {
  if (suite::is_bad(test.verdict)) return test.expected ? "dim" : "bad";
  return test.verdict == TestVerdict::kCannotTest ? "dim" : "good";
}

std::string page_row(const TestResult& test, const std::string& page) {
  const std::string title = xml_escaped(test.name);
  const std::string linked = page.empty() ? title : fmt::format("<a href=\"{}\">{}</a>", xml_escaped(page), title);
  return fmt::format(
      "<tr><td>{}</td><td class=\"{}\">{}{}</td><td class=\"number\">{}</td><td class=\"number\">{:.2f}</td><td>{}</td></tr>\n", linked,
      class_of(test), name(test.verdict), test.expected ? " (expected)" : "", test.executions, test.seconds, xml_escaped(test.words));
}

}  // namespace

std::string suite_junit(const SuiteResult& result) {
  double seconds = 0;
  for (const TestResult& test : result.tests) seconds += test.seconds;
  size_t skipped = 0;
  std::string cases;
  for (const TestResult& test : result.tests) {
    const std::string body = junit_body(test);
    skipped += body.starts_with("<skipped") ? 1 : 0;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n", xml_escaped(subject_name(result)),
                         xml_escaped(test.name), test.seconds, body);
  }
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\"", result.tests.size(),
                                         result.news(), skipped, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle\" {}>\n  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n"
      "</testsuites>\n",
      counts, xml_escaped(subject_name(result)), counts, cases);
}

std::string suite_page(const SuiteResult& result, const std::vector<std::string>& page_of) {
  std::string rows[2];  // what is to be looked at comes first
  for (size_t i = 0; i < result.tests.size(); ++i) {
    const TestResult& test = result.tests[i];
    rows[suite::is_bad(test.verdict) ? 0 : 1] += page_row(test, i < page_of.size() ? page_of[i] : "");
  }
  std::string counts;
  for (const TestVerdict verdict : {TestVerdict::kFailure, TestVerdict::kFailsAlways, TestVerdict::kFlaky, TestVerdict::kPassed,
                                    TestVerdict::kNoThreads, TestVerdict::kCannotTest}) {
    if (result.count(verdict) > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : " · ", result.count(verdict), name(verdict));
  }
  const std::string title = xml_escaped(subject_name(result));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>heddle test: {}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<p>{} tests of {}, seed {}{}. {}</p>\n"
      "<table>\n<thead><tr><th>Test</th><th>Verdict</th><th>Runs</th><th>Seconds</th><th>What</th></tr></thead>\n<tbody>\n{}{}</"
      "tbody>\n"
      "</table>\n</body>\n</html>\n",
      title, kStyle, title, result.tests.size(), xml_escaped(result.framework), result.seed,
      result.shard.whole() ? "" : ", shard " + result.shard.text(), counts, rows[0], rows[1]);
}

std::string joined_sarif(const std::vector<std::string>& texts) {
  Json run = {{"tool", {{"driver", {{"name", "heddle"}, {"version", HEDDLE_VERSION}, {"rules", Json::array()}}}}},
              {"columnKind", "unicodeCodePoints"},
              {"results", Json::array()}};
  std::map<std::string, size_t> rules;
  for (const std::string& text : texts) {
    const Json one = Json::parse(text).at("runs").at(0);
    for (Json result : one.at("results")) {
      const Json& rule = one.at("tool").at("driver").at("rules").at(result.at("ruleIndex").get<size_t>());
      const auto [at, is_new] = rules.emplace(rule.at("id").get<std::string>(), rules.size());
      if (is_new) run["tool"]["driver"]["rules"].push_back(rule);
      result["ruleIndex"] = at->second;
      run["results"].push_back(std::move(result));
    }
  }
  const Json document = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::report
