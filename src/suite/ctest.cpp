#include "suite/ctest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "trace/error.h"

namespace heddle::suite {

namespace {

using nlohmann::json;

struct Described {
  TestCase test;
  std::vector<std::string> sets_up, cleans_up, alternatives;
};

std::vector<std::string> texts(const json& value) {
  if (value.is_array()) return value.get<std::vector<std::string>>();
  return {value.get<std::string>()};
}

std::string alternatives_of(const std::vector<std::string>& patterns) {
  std::string joined;
  for (const std::string& pattern : patterns) joined += (joined.empty() ? "(" : "|(") + pattern + ")";
  return joined;
}

// The properties that change how a test is run or judged. Those about scheduling among tests (cost, processors, locks) do not concern one test.
void take_property(const std::string& name, const json& value, Described& described) {
  TestCase& test = described.test;
  if (name == "WORKING_DIRECTORY") {
    test.directory = value.get<std::string>();
  } else if (name == "ENVIRONMENT") {
    test.environment = texts(value);
  } else if (name == "TIMEOUT") {
    test.timeout = value.get<double>();
  } else if (name == "LABELS") {
    test.labels = texts(value);
  } else if (name == "SKIP_RETURN_CODE") {
    test.skip_code = value.get<int>();
  } else if (name == "FAIL_REGULAR_EXPRESSION") {
    test.fails_if_output = alternatives_of(texts(value));
  } else if (name == "FIXTURES_REQUIRED") {
    test.fixtures = texts(value);
  } else if (name == "FIXTURES_SETUP") {
    described.sets_up = texts(value);
  } else if (name == "FIXTURES_CLEANUP") {
    described.cleans_up = texts(value);
  } else if (name == "DISABLED" && value.is_boolean() && value.get<bool>()) {
    test.cannot = "it is disabled";
  } else if (name == "WILL_FAIL" && value.is_boolean() && value.get<bool>()) {
    test.cannot = "CTest expects it to fail (WILL_FAIL)";
  } else if (name == "PASS_REGULAR_EXPRESSION" || name == "SKIP_REGULAR_EXPRESSION" || name == "ENVIRONMENT_MODIFICATION") {
    test.cannot = fmt::format("CTest's {} is not supported", name);
  }
}

Described described_test(const json& entry) {
  Described described;
  described.test.name = entry.at("name").get<std::string>();
  if (entry.contains("command")) {
    described.test.command = entry["command"].get<std::vector<std::string>>();
  } else {
    described.test.cannot = "its program is not built";
  }
  for (const json& property : entry.value("properties", json::array()))
    take_property(property.at("name").get<std::string>(), property.at("value"), described);
  return described;
}

}  // namespace

TestList read_ctest(const std::string& description) {
  TestList list;
  list.framework = "CTest";
  std::map<std::string, Fixture> fixtures;
  try {
    const json all = json::parse(description);
    for (const json& entry : all.at("tests")) {
      Described described = described_test(entry);
      for (const std::string& name : described.sets_up) fixtures[name].setup.push_back(described.test);
      for (const std::string& name : described.cleans_up) fixtures[name].cleanup.push_back(described.test);
      if (described.sets_up.empty() && described.cleans_up.empty()) list.cases.push_back(std::move(described.test));
    }
  } catch (const json::exception& error) {
    throw Error(fmt::format("what ctest says about the tests cannot be read: {}", error.what()));
  }
  for (auto& [name, fixture] : fixtures) {
    fixture.name = name;
    list.fixtures.push_back(std::move(fixture));
  }
  return list;
}

}  // namespace heddle::suite
