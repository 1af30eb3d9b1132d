#pragma once
// What the user or the machine got wrong, as one sentence. Caught once, in main. A failing target is a value, never an exception.
#include <stdexcept>
#include <string>

#include "wire/rooms.h"

namespace heddle::trace {

enum class ExitCode : int { kNothing = 0, kFailure = 1, kUsage = 2, kCannotTest = 125, kInterrupted = 130 };

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence, ExitCode exit_code = ExitCode::kCannotTest)
      : std::runtime_error(sentence), exit_code_(exit_code) {}
  ExitCode exit_code() const { return exit_code_; }

 private:
  ExitCode exit_code_;
};

}  // namespace heddle::trace
