#include "suite/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "store/atomic_file.h"
#include "trace/error.h"

namespace heddle::suite {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

struct VerdictRow {
  TestVerdict verdict;
  const char* name;
  bool bad;
};
constexpr std::array kVerdicts = {
    VerdictRow{TestVerdict::kPassed, "passed", false},           VerdictRow{TestVerdict::kFailure, "failure", true},
    VerdictRow{TestVerdict::kFailsAlways, "fails-always", true}, VerdictRow{TestVerdict::kFlaky, "flaky-in-real-time", true},
    VerdictRow{TestVerdict::kNoThreads, "no-threads", false},    VerdictRow{TestVerdict::kCannotTest, "cannot-test", false},
};

const VerdictRow& row(TestVerdict verdict) { return kVerdicts[static_cast<size_t>(verdict)]; }

Json json_of(const TestResult& test) {
  Json j = {
      {"name", test.name}, {"verdict", name(test.verdict)}, {"executions", test.executions}, {"seconds", test.seconds}, {"bug", test.bug}};
  if (!test.bugs.empty()) j["bugs"] = test.bugs;
  if (!test.signature.empty()) j["signature"] = test.signature;
  if (!test.words.empty()) j["words"] = test.words;
  if (!test.command.empty()) j["command"] = test.command;
  if (!test.build.empty()) j["build"] = test.build;
  if (test.missed > 0) j["missed"] = test.missed;
  if (test.expected) j["expected"] = true;
  return j;
}

TestResult test_of(const Json& j) {
  TestResult test;
  test.name = j.at("name").get<std::string>();
  test.verdict = verdict_named(j.at("verdict").get<std::string>());
  test.executions = j.at("executions").get<uint64_t>();
  test.seconds = j.at("seconds").get<double>();
  test.bug = j.at("bug").get<std::string>();
  test.bugs = j.value("bugs", std::vector<std::string>());
  test.signature = j.value("signature", "");
  test.words = j.value("words", "");
  test.command = j.value("command", "");
  test.build = j.value("build", "");
  test.missed = j.value("missed", 0u);
  test.expected = j.value("expected", false);
  return test;
}

}  // namespace

const char* name(TestVerdict verdict) { return row(verdict).name; }
bool is_bad(TestVerdict verdict) { return row(verdict).bad; }

TestVerdict verdict_named(const std::string& name) {
  const auto at = std::find_if(kVerdicts.begin(), kVerdicts.end(), [&](const VerdictRow& r) { return name == r.name; });
  if (at == kVerdicts.end()) throw Error(fmt::format("{} is not a verdict of a test", name));
  return at->verdict;
}

size_t SuiteResult::count(TestVerdict verdict) const {
  return static_cast<size_t>(std::count_if(tests.begin(), tests.end(), [&](const TestResult& t) { return t.verdict == verdict; }));
}

size_t SuiteResult::news() const {
  return static_cast<size_t>(
      std::count_if(tests.begin(), tests.end(), [](const TestResult& t) { return is_bad(t.verdict) && !t.expected; }));
}

size_t SuiteResult::not_reached() const {
  return static_cast<size_t>(std::count_if(tests.begin(), tests.end(), [](const TestResult& t) { return t.missed > 0; }));
}

const char* SuiteResult::verdict() const {
  if (news() > 0) return "failure";
  if (not_reached() > 0 && !partial) return "inconclusive";
  return count(TestVerdict::kCannotTest) == tests.size() ? "inconclusive" : "none";
}

nlohmann::ordered_json json_of(const SuiteResult& result) {
  Json tests = Json::array();
  for (const TestResult& test : result.tests) tests.push_back(json_of(test));
  Json counts = Json::object();
  for (const VerdictRow& r : kVerdicts) counts[r.name] = result.count(r.verdict);
  return {{"verdict", result.verdict()},     {"version", kVersion},
          {"framework", result.framework},   {"subject", result.subject},
          {"build", result.build},           {"seed", result.seed},
          {"executions", result.executions}, {"shard", result.shard.text()},
          {"new_failures", result.news()},   {"not_reached", result.not_reached()},
          {"partial", result.partial},       {"counts", counts},
          {"tests", std::move(tests)}};
}

SuiteResult read_result(const std::string& path) {
  try {
    const Json j = Json::parse(read_file(path));
    if (j.at("version").get<int>() != kVersion) throw Error(fmt::format("{} was written by another version of heddle", path));
    SuiteResult result;
    result.framework = j.at("framework").get<std::string>();
    result.subject = j.at("subject").get<std::string>();
    result.build = j.at("build").get<std::string>();
    result.seed = j.at("seed").get<uint64_t>();
    result.executions = j.at("executions").get<uint64_t>();
    result.shard = shard_of(j.at("shard").get<std::string>());
    result.partial = j.value("partial", false);
    for (const Json& test : j.at("tests")) result.tests.push_back(test_of(test));
    return result;
  } catch (const Json::exception&) {
    throw Error(fmt::format("{} is not a result of heddle test", path));
  }
}

void expect_baseline(SuiteResult& result, const SuiteResult& baseline) {
  std::set<std::pair<std::string, std::string>> known;
  for (const TestResult& test : baseline.tests) {
    if (is_bad(test.verdict)) known.emplace(test.name, test.signature);
  }
  for (TestResult& test : result.tests) {
    if (is_bad(test.verdict) && known.contains({test.name, test.signature})) test.expected = true;
  }
}

}  // namespace heddle::suite
