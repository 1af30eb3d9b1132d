#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

namespace heddle::cli {

namespace {

const char* const kCommon = "Common options";
const char* const kAdvanced = "Advanced";
constexpr size_t kFewOptions = 10;  // a verb with no more is read at a glance, without groups

struct OptionGroup {
  const char* name;
  std::vector<std::string> options;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// In the order in which they are printed; the common ones in the order in which they are listed here.
const std::vector<OptionGroup>& groups() {
  static const std::vector<OptionGroup> rows = {
      {kCommon, words_of("--time --executions --jobs --seed --points --policy --preemptions --expect-exit --fails-if-output"
                         " --gdb --found --repeat --from --to --reduced --all --ctest"
                         " --always --retry-until-failure --checkpoint --keep"
                         " --slurm --kubernetes --github --tests --shards --json")},
      {"Search", words_of("--strategy --depth --early-timeouts --spurious-wakeups --no-timing --around --resume --no-retry --keep-going"
                          " --stay --length --quantum --no-reduction --against --shard --filter --label --whole --fuzz --by --doomed")},
      {"Failure", words_of("--expect-stdout --fails-if --other-failures --baseline --expected-failure --suppress")},
      {"Simplification", words_of("--algorithm --simplify-executions --simplify-time --certificate --suffix --no-reduce --no-isolate")},
      {"Output", words_of("--save --races --statistics --width --confirmed --junit --sarif --html --list --no-explain")},
      {kAdvanced, {}},
  };
  return rows;
}

// The first long name of "--jobs,-j".
std::string long_name(const std::string& names) {
  const size_t at = names.find("--");
  return at == std::string::npos ? names : names.substr(at, names.find(',', at) - at);
}

size_t place_in(const std::vector<std::string>& options, const CLI::Option* option) {
  const auto at = std::find(options.begin(), options.end(), "--" + option->get_lnames().front());
  return static_cast<size_t>(at - options.begin());
}

class HelpLayout : public CLI::Formatter {
 public:
  explicit HelpLayout(TakesProgram takes) : takes_(takes) {}

  std::string make_usage(const CLI::App* app, std::string name) const override {
    const std::string program = " -- PROGRAM [ARGS...]\n";
    const std::string begin = "Usage: " + name + (app->get_parent() ? "" : " VERB") + " [OPTIONS]";
    const auto positionals = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    switch (takes_) {
      case TakesProgram::kNo: return begin + (positionals.empty() ? "\n" : " [" + positionals.front()->get_name() + "]\n");
      case TakesProgram::kYes: return begin + program;
      case TakesProgram::kInsteadOfBug: return begin + program + "       " + name + " [OPTIONS] BUG\n";
      case TakesProgram::kDirectories: return begin + " DIRECTORY...\n";
      case TakesProgram::kOrCTest: return begin + program + "       " + name + " [OPTIONS] --ctest DIRECTORY\n";
      case TakesProgram::kBesideBug: return begin + " [BUG] [-- PROGRAM [ARGS...]]\n";
    }
    return {};
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) + options_of(app) +
           make_subcommands(app, mode) + "\n" + make_footer(app);
  }

 private:
  std::string options_of(const CLI::App* app) const {
    const CLI::Option* help = app->get_help_ptr();
    std::vector<const CLI::Option*> all =
        app->get_options([help](const CLI::Option* option) { return option->nonpositional() && option != help; });
    std::string out;
    if (all.size() <= kFewOptions) {
      all.push_back(help);
      return make_group("Options", false, all);
    }
    for (const OptionGroup& group : groups()) {
      std::vector<const CLI::Option*> members;
      std::copy_if(all.begin(), all.end(), std::back_inserter(members),
                   [&group](const CLI::Option* option) { return option->get_group() == group.name; });
      std::stable_sort(members.begin(), members.end(), [&group](const CLI::Option* a, const CLI::Option* b) {
        return place_in(group.options, a) < place_in(group.options, b);
      });
      if (group.name == kAdvanced) members.push_back(help);
      if (!members.empty()) out += make_group(group.name, false, members);
    }
    return out;
  }

  TakesProgram takes_;
};

}  // namespace

void set_help(CLI::App& app, TakesProgram takes) { app.formatter(std::make_shared<HelpLayout>(takes)); }

std::string option_group(const std::string& names) {
  const std::string name = long_name(names);
  for (const OptionGroup& group : groups()) {
    if (std::find(group.options.begin(), group.options.end(), name) != group.options.end()) return group.name;
  }
  return kAdvanced;
}

}  // namespace heddle::cli
