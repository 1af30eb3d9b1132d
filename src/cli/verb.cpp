#include "cli/verb.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace heddle {

Verb::Verb(CLI::App& app, const std::string& name, const std::string& words) : app_(app.add_subcommand(name, words)) {}

void Verb::flag(const std::string& name, bool& to, const std::string& words) { app_->add_flag(name, to, words); }

void Verb::text(const std::string& name, std::string& to, const std::string& words, const std::string& type) {
  CLI::Option* option = app_->add_option(name, to, words);
  if (!type.empty()) option->type_name(type);
}

void Verb::one_of(const std::string& name, std::string& to, const std::vector<std::string>& names, const std::string& words) {
  std::string type;
  for (const std::string& each : names) type += (type.empty() ? "" : "|") + each;
  CLI::Option* option = app_->add_option(name, to, words)->check(CLI::IsMember(names))->type_name(type);
  if (!to.empty()) option->capture_default_str();
}

void Verb::number(const std::string& name, uint64_t& to, const std::string& words) {
  app_->add_option(name, to, words)->capture_default_str();
}
void Verb::number(const std::string& name, uint32_t& to, const std::string& words) {
  app_->add_option(name, to, words)->capture_default_str();
}
void Verb::number(const std::string& name, int& to, const std::string& words) { app_->add_option(name, to, words)->capture_default_str(); }
void Verb::number(const std::string& name, std::optional<uint64_t>& to, const std::string& words) { app_->add_option(name, to, words); }

void Verb::seconds(const std::string& name, double& to, const std::string& words) {
  app_->add_option(name, to, words)->check(CLI::NonNegativeNumber)->capture_default_str();
}
void Verb::seconds(const std::string& name, std::optional<double>& to, const std::string& words) {
  app_->add_option(name, to, words)->check(CLI::NonNegativeNumber);
}

void Verb::fraction(const std::string& name, double& to, const std::string& words) {
  app_->add_option(name, to, words)->check(CLI::Range(0.0, 1.0));
}

void Verb::positional(const std::string& name, std::string& to, const std::string& words) { app_->add_option(name, to, words); }

void Verb::when_chosen(std::function<void()> then) { app_->callback(std::move(then)); }

}  // namespace heddle
