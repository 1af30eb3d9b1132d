#include "suite/ctest_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "trace/error.h"
#include "wire/rooms.h"

namespace heddle::suite {

namespace {

std::optional<std::string> own_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Operations that join a value to what is there.
struct JoinRow {
  const char* name;
  const char* between;
  bool append;
};
constexpr std::array kJoins = {JoinRow{"string_append", "", true},      JoinRow{"string_prepend", "", false},
                               JoinRow{"path_list_append", ":", true},  JoinRow{"path_list_prepend", ":", false},
                               JoinRow{"cmake_list_append", ";", true}, JoinRow{"cmake_list_prepend", ";", false}};

std::string joined_value(const JoinRow& row, const std::string& there, const std::string& value) {
  const std::string between = there.empty() ? "" : row.between;
  return row.append ? there + between + value : value + between + there;
}

class Variables {
 public:
  explicit Variables(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  std::optional<std::string> value(const std::string& name) const {
    for (size_t i = entries_.size(); i-- > 0;) {
      if (entries_[i] == name) return std::nullopt;
      if (entries_[i].starts_with(name + "=")) return entries_[i].substr(name.size() + 1);
    }
    return own_value(name);
  }
  void set(const std::string& name, const std::optional<std::string>& value) {
    std::erase_if(entries_, [&](const std::string& entry) { return entry == name || entry.starts_with(name + "="); });
    entries_.push_back(value ? name + "=" + *value : name);
  }
  std::vector<std::string> take() { return std::move(entries_); }

 private:
  std::vector<std::string> entries_;
};

}  // namespace

std::vector<std::string> modified_environment(std::vector<std::string> environment, const std::vector<std::string>& modifications) {
  Variables variables(std::move(environment));
  for (const std::string& text : modifications) {
    const size_t equals = text.find('='), colon = text.find(':', std::min(equals, text.size()));
    if (equals == std::string::npos || colon == std::string::npos)
      throw Error(fmt::format("CTest's ENVIRONMENT_MODIFICATION '{}' is not NAME=OPERATION:VALUE", text));
    const std::string name = text.substr(0, equals), operation = text.substr(equals + 1, colon - equals - 1),
                      value = text.substr(colon + 1);
    const auto* const row = std::find_if(kJoins.begin(), kJoins.end(), [&](const JoinRow& r) { return operation == r.name; });
    if (operation == "set") {
      variables.set(name, value);
    } else if (operation == "unset") {
      variables.set(name, std::nullopt);
    } else if (operation == "reset") {
      variables.set(name, own_value(name));
    } else if (row != kJoins.end()) {
      variables.set(name, joined_value(*row, variables.value(name).value_or(""), value));
    } else {
      throw Error(fmt::format("CTest's ENVIRONMENT_MODIFICATION has no operation '{}'", operation));
    }
  }
  return variables.take();
}

}  // namespace heddle::suite
