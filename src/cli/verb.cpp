#include "cli/verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

namespace heddle::cli {

namespace {

// What a validator says about itself would stand behind the type, which says it already.
CLI::Validator unsaid(CLI::Validator validator) { return validator.description(""); }

// "90", "1.5h", "10m": what is left is a number of seconds.
CLI::Validator duration() {
  const auto seconds_of = [](std::string& text) -> std::string {
    static const std::map<std::string, double> units = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    size_t end = 0;
    double number = -1;
    try {
      number = std::stod(text, &end);
    } catch (const std::exception&) {
    }
    const auto unit = units.find(text.substr(end));
    if (!(number >= 0) || unit == units.end()) return "not a time, such as 90, 10m or 1.5h: " + text;
    text = fmt::format("{}", number * unit->second);
    return {};
  };
  return CLI::Validator(seconds_of, "");
}

template <class T>
CLI::Option* add_option(CLI::App* app, const std::string& name, T& to, const std::string& words, const std::string& type) {
  return app->add_option(name, to, words)->type_name(type)->group(option_group(name));
}

}  // namespace

Verb::Verb(CLI::App& app, const std::string& name, const std::string& words, TakesProgram takes) : app_(app.add_subcommand(name, words)) {
  app_->group("Verbs");
  set_help(*app_, takes);
}

void Verb::exit_codes(const std::string& zero, const std::string& one, const std::string& cannot) {
  const std::string failure = one.empty() ? "" : fmt::format(", 1 {}", one);
  app_->footer(fmt::format("Exit codes: 0 {}{}, 2 usage, 125 {}, 130 interrupted.", zero, failure, cannot));
}

void Verb::exit_codes_of_the_program() { app_->footer("Exit codes: the program's own, 128 + n for signal n; 2 usage, 125 cannot be run."); }

void Verb::flag(const std::string& name, bool& to, const std::string& words) { app_->add_flag(name, to, words)->group(option_group(name)); }

void Verb::text(const std::string& name, std::string& to, const std::string& words, const std::string& type) {
  add_option(app_, name, to, words, type);
}

void Verb::texts(const std::string& name, std::vector<std::string>& to, const std::string& words, const std::string& type) {
  add_option(app_, name, to, words, type)->allow_extra_args(false);
}

void Verb::one_of(const std::string& name, std::string& to, const std::vector<std::string>& names, const std::string& words) {
  std::string type;
  for (const std::string& each : names) type += (type.empty() ? "" : "|") + each;
  listed(name, to, names, words, type);
}

void Verb::listed(const std::string& name, std::string& to, const std::vector<std::string>& names, const std::string& words,
                  const std::string& type) {
  CLI::Option* option = add_option(app_, name, to, words, type)->check(unsaid(CLI::IsMember(names)));
  if (!to.empty()) option->capture_default_str();
}

void Verb::number(const std::string& name, uint64_t& to, const std::string& words) {
  add_option(app_, name, to, words, "N")->capture_default_str();
}
void Verb::number(const std::string& name, uint32_t& to, const std::string& words) {
  add_option(app_, name, to, words, "N")->capture_default_str();
}
void Verb::number(const std::string& name, int& to, const std::string& words) {
  add_option(app_, name, to, words, "N")->capture_default_str();
}
void Verb::number(const std::string& name, std::optional<uint64_t>& to, const std::string& words) {
  add_option(app_, name, to, words, "N");
}

void Verb::seconds(const std::string& name, double& to, const std::string& words) {
  add_option(app_, name, to, words, "SECONDS")->transform(duration())->capture_default_str();
}
void Verb::seconds(const std::string& name, std::optional<double>& to, const std::string& words) {
  add_option(app_, name, to, words, "SECONDS")->transform(duration());
}

void Verb::fraction(const std::string& name, double& to, const std::string& words) {
  add_option(app_, name, to, words, "0..1")->check(unsaid(CLI::Range(0.0, 1.0)));
}

void Verb::positional(const std::string& name, std::string& to, const std::string& words) {
  app_->add_option(name, to, words)->type_name("");
}

void Verb::positionals(const std::string& name, std::vector<std::string>& to, const std::string& words) {
  app_->add_option(name, to, words)->type_name("");
}

void Verb::only_with(const std::string& name, const std::string& of, const std::string& to, const std::vector<std::string>& values) {
  const CLI::Option* option = app_->get_option(name);
  rules_->push_back([=, &to] {
    if (option->count() == 0 || std::find(values.begin(), values.end(), to) != values.end()) return;
    std::string allowed;
    for (const std::string& value : values) {
      if (!value.empty()) allowed += (allowed.empty() ? "" : " or ") + value;
    }
    throw CLI::ValidationError(name, "means something with " + of + " " + allowed + " only");
  });
}

void Verb::when_chosen(std::function<void()> then) {
  app_->callback([rules = rules_, then = std::move(then)] {
    for (const auto& rule : *rules) rule();
    then();
  });
}

}  // namespace heddle::cli
