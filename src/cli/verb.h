#pragma once
// The options of a verb, in our own words: the parser behind them is known to verb.cpp and main.cpp alone.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/help.h"
#include "wire/rooms.h"

namespace CLI {
class App;
}

namespace heddle::cli {

class Verb {
 public:
  Verb(CLI::App& app, const std::string& name, const std::string& words, TakesProgram takes);

  void flag(const std::string& name, bool& to, const std::string& words);
  void text(const std::string& name, std::string& to, const std::string& words, const std::string& type);
  void texts(const std::string& name, std::vector<std::string>& to, const std::string& words, const std::string& type);
  void one_of(const std::string& name, std::string& to, const std::vector<std::string>& names, const std::string& words);
  // The same where `words` list the names already: the type stands in their place.
  void listed(const std::string& name, std::string& to, const std::vector<std::string>& names, const std::string& words,
              const std::string& type);
  void number(const std::string& name, uint64_t& to, const std::string& words);
  void number(const std::string& name, uint32_t& to, const std::string& words);
  void number(const std::string& name, int& to, const std::string& words);
  void number(const std::string& name, std::optional<uint64_t>& to, const std::string& words);
  void seconds(const std::string& name, double& to, const std::string& words);
  void seconds(const std::string& name, std::optional<double>& to, const std::string& words);
  void fraction(const std::string& name, double& to, const std::string& words);
  void positional(const std::string& name, std::string& to, const std::string& words);
  void positionals(const std::string& name, std::vector<std::string>& to, const std::string& words);

  // The option means something only where `of`, given or by default, is one of `values`; with another it is refused.
  void only_with(const std::string& name, const std::string& of, const std::string& to, const std::vector<std::string>& values);

  // What exit codes 0, 1 and 125 say; `one` is empty where the verb has no such answer. Without: nothing found, a failure, cannot test.
  void exit_codes(const std::string& zero, const std::string& one, const std::string& cannot);
  // All but 2, 125 and 130 are the program's own.
  void exit_codes_of_the_program();

  // Called when this verb was the one chosen and its options are parsed.
  void when_chosen(std::function<void()> then);

 private:
  CLI::App* app_;
  std::shared_ptr<std::vector<std::function<void()>>> rules_ = std::make_shared<std::vector<std::function<void()>>>();
};

}  // namespace heddle::cli
