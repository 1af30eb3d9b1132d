#include "cli/defaults.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/print.h"
#include "trace/error.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

constexpr const char* kFile = ".heddle/config.toml";
constexpr uintmax_t kMostBytes = 1 << 20;

// What a file may set. None of them names a command, or a file that is written.
const std::set<std::string>& settable() {
  static const std::set<std::string> names = {"time",
                                              "executions",
                                              "jobs",
                                              "seed",
                                              "points",
                                              "strategy",
                                              "depth",
                                              "early-timeouts",
                                              "spurious-wakeups",
                                              "no-timing",
                                              "expect-exit",
                                              "baseline",
                                              "suppress",
                                              "fails-if-output",
                                              "expected-failure",
                                              "simplify-time",
                                              "simplify-executions",
                                              "certificate",
                                              "no-reduce",
                                              "no-isolate",
                                              "max-events",
                                              "watchdog",
                                              "carrier",
                                              "env-seed",
                                              "preemptions",
                                              "filter",
                                              "no-snapshots"};
  return names;
}

[[noreturn]] void refuse(const std::string& why) { throw Error(fmt::format("{}: {}", kFile, why), ExitCode::kUsage); }

std::string text_of(const std::string& key, const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* whole = value.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = value.as_floating_point()) return fmt::format("{}", real->get());
  refuse(fmt::format("{} takes a text, a number, true, false or a list of texts", key));
}

bool is_given(const CLI::Option& option, const std::vector<std::string>& words) {
  const auto names = [&](const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    for (const std::string& each : option.get_lnames())
      if (name == "--" + each) return true;
    for (const std::string& each : option.get_snames())
      if (word.starts_with("-" + each)) return true;
    return false;
  };
  return std::any_of(words.begin(), words.end(), names);
}

// `own`: the table is that of the verb, so each of its keys must be an option of the verb.
void add_words(const CLI::App& verb, const toml::table& table, bool own, const std::vector<std::string>& given,
               std::vector<std::string>& added) {
  for (const auto& [key_of_file, value] : table) {
    const std::string key(key_of_file.str());
    if (value.is_table()) continue;
    if (!settable().contains(key)) refuse(fmt::format("{} cannot be set here, only on the command line", key));
    const CLI::Option* option = verb.get_option_no_throw("--" + key);
    if (option == nullptr && own) refuse(fmt::format("{} has no option --{}", verb.get_name(), key));
    if (option == nullptr || is_given(*option, given) || (!own && is_given(*option, added))) continue;
    const bool is_flag = option->get_expected_max() == 0;
    if (is_flag != value.is_boolean()) refuse(fmt::format("{} takes {}", key, is_flag ? "true or false" : "a value"));
    if (is_flag && value.as_boolean()->get()) added.push_back("--" + key);
    if (is_flag) continue;
    if (const auto* list = value.as_array()) {
      for (const toml::node& each : *list) added.push_back(fmt::format("--{}={}", key, text_of(key, each)));
    } else {
      added.push_back(fmt::format("--{}={}", key, text_of(key, value)));
    }
  }
}

toml::table read_table() {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(kFile, error);
  if (error) return {};  // none, or no file at all
  if (size > kMostBytes) refuse("too large");
  std::ifstream in(kFile, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) refuse("cannot be read");
  try {
    return toml::parse(text.str());
  } catch (const toml::parse_error& wrong) {
    refuse(fmt::format("line {}: {}", wrong.source().begin.line, wrong.description()));
  }
}

const CLI::App* verb_named(const CLI::App& app, const std::string& name) {
  const std::vector<const CLI::App*> verbs = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return verbs.empty() ? nullptr : verbs.front();
}

}  // namespace

std::vector<std::string> with_defaults(const CLI::App& app, std::vector<std::string> words) {
  const auto name = std::find_if(words.begin(), words.end(), [](const std::string& word) { return !word.starts_with("-"); });
  const CLI::App* verb = name == words.end() ? nullptr : verb_named(app, *name);
  if (verb == nullptr) return words;
  const toml::table table = read_table();
  for (const auto& [key, value] : table) {
    if (value.is_table() && verb_named(app, std::string(key.str())) == nullptr) refuse(fmt::format("[{}] is not a verb", key.str()));
  }
  std::vector<std::string> added;
  if (const auto* own = table[*name].as_table()) add_words(*verb, *own, true, words, added);
  add_words(*verb, table, false, words, added);
  if (added.empty()) return words;
  // The streams of these are the program's own.
  if (*name != "run" && *name != "record") print_err("heddle: from {}: {}\n", kFile, shell_words(added));
  words.insert(words.end(), added.begin(), added.end());
  return words;
}

}  // namespace heddle::cli
