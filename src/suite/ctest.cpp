#include "suite/ctest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "suite/ctest_environment.h"
#include "trace/error.h"

namespace heddle::suite {

namespace {

using nlohmann::json;

struct Described {
  TestCase test;
  std::vector<std::string> sets_up, cleans_up, after;
  std::vector<std::string> modifications;
  std::vector<std::string> files;
};

// The fixture that stands for a test which DEPENDS names.
std::string order_after(const std::string& test) { return "the test " + test; }

std::vector<std::string> texts(const json& value) {
  if (value.is_array()) return value.get<std::vector<std::string>>();
  return {value.get<std::string>()};
}

bool is_on(const json& value) { return value.is_boolean() && value.get<bool>(); }

// The properties that change how a test is run or judged. Those about scheduling among tests (cost, processors, locks) do not concern one test.
void take_property(const std::string& name, const json& value, Described& described) {
  TestCase& test = described.test;
  if (name == "WORKING_DIRECTORY") {
    test.directory = value.get<std::string>();
  } else if (name == "ENVIRONMENT") {
    test.environment = texts(value);
  } else if (name == "ENVIRONMENT_MODIFICATION") {
    described.modifications = texts(value);
  } else if (name == "TIMEOUT") {
    test.timeout = value.get<double>();
  } else if (name == "LABELS") {
    test.labels = texts(value);
  } else if (name == "SKIP_RETURN_CODE") {
    test.rule.skip_code = value.get<int>();
  } else if (name == "SKIP_REGULAR_EXPRESSION") {
    test.rule.skips = texts(value);
  } else if (name == "FAIL_REGULAR_EXPRESSION") {
    test.rule.fails = texts(value);
  } else if (name == "PASS_REGULAR_EXPRESSION") {
    test.rule.passes = texts(value);
  } else if (name == "WILL_FAIL") {
    test.rule.will_fail = is_on(value);
  } else if (name == "FIXTURES_REQUIRED") {
    test.fixtures = texts(value);
  } else if (name == "FIXTURES_SETUP") {
    described.sets_up = texts(value);
  } else if (name == "FIXTURES_CLEANUP") {
    described.cleans_up = texts(value);
  } else if (name == "DEPENDS") {
    described.after = texts(value);
  } else if (name == "REQUIRED_FILES") {
    described.files = texts(value);
  } else if (name == "DISABLED" && is_on(value)) {
    test.cannot = "it is disabled";
  }
}

// Once all properties are known, in whatever order they came.
void finish(Described& described) {
  TestCase& test = described.test;
  test.environment = modified_environment(std::move(test.environment), described.modifications);
  if (!test.fixtures.empty() || !described.after.empty()) return;  // which may make the files
  for (const std::string& file : described.files) {
    std::error_code failure;
    const std::filesystem::path path = std::filesystem::path(test.directory) / file;
    if (test.cannot.empty() && !std::filesystem::exists(path, failure))
      test.cannot = fmt::format("it needs the file {}, which is not there", path.string());
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
  finish(described);
  return described;
}

}  // namespace

TestList read_ctest(const std::string& description) {
  TestList list;
  list.framework = "CTest";
  std::map<std::string, Fixture> fixtures;
  std::vector<Described> all;
  try {
    const json document = json::parse(description);
    for (const json& entry : document.at("tests")) all.push_back(described_test(entry));
  } catch (const json::exception& error) {
    throw Error(fmt::format("what ctest says about the tests cannot be read: {}", error.what()));
  }
  std::map<std::string, size_t> at;
  for (size_t i = 0; i < all.size(); ++i) at.emplace(all[i].test.name, i);
  for (Described& described : all) {
    // CTest says of a test that it depends on what sets its fixtures up, too: that runs once, as a fixture.
    const std::vector<std::string> required = described.test.fixtures;
    std::erase_if(described.after, [&](const std::string& name) {
      if (!at.contains(name)) return true;
      const std::vector<std::string>& sets_up = all[at[name]].sets_up;
      return std::find_first_of(sets_up.begin(), sets_up.end(), required.begin(), required.end()) != sets_up.end();
    });
    for (const std::string& name : described.after) described.test.fixtures.push_back(order_after(name));
  }
  for (const Described& described : all) {
    for (const std::string& name : described.sets_up) fixtures[name].setup.push_back(described.test);
    for (const std::string& name : described.cleans_up) fixtures[name].cleanup.push_back(described.test);
    for (const std::string& name : described.after) {
      Fixture& order = fixtures[order_after(name)];
      order.setup = {all[at[name]].test};
      order.needed = false;
    }
    if (described.sets_up.empty() && described.cleans_up.empty()) list.cases.push_back(described.test);
  }
  for (auto& [name, fixture] : fixtures) {
    fixture.name = name;
    list.fixtures.push_back(std::move(fixture));
  }
  return list;
}

}  // namespace heddle::suite
