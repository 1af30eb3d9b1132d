#pragma once
// What --help looks like: the usage line of a verb, and its options in groups, the common ones first.
#include <string>

namespace CLI {
class App;
}

namespace heddle::cli {

// What a verb does with the words after --.
enum class TakesProgram {
  kNo,
  kYes,           // it needs them
  kInsteadOfBug,  // a bug or a program
  kOrCTest,       // a program, or a build directory of CMake
  kDirectories,   // none: it works on directories
  kBesideBug,     // a saved bug knows its program; another one may be named
};

// Sets the usage line and the layout of a verb's help, or of the tool's.
void set_help(CLI::App& app, TakesProgram takes);

// The group under which an option of this name is listed; "Advanced" where it has no row.
std::string option_group(const std::string& names);

}  // namespace heddle::cli
