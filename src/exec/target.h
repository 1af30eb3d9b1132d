#pragma once
#include <string>
#include <vector>

#include "wire/rooms.h"

namespace heddle::exec {

// The program under test and how it is started.
struct Target {
  std::string program;                   // absolute
  std::vector<std::string> arguments;    // with the program's name as the user gave it in front
  std::vector<std::string> environment;  // "NAME=value", without anything of ours
  std::string directory;                 // absolute
  bool script = false;                   // "#!": the first threaded process below it is controlled
  std::string wrapped;                   // the user's program, where `program` is a tool that runs it; else empty

  const std::string& image() const { return wrapped.empty() ? program : wrapped; }

  // "NAME=value", in place of what the name had; "NAME" takes it away.
  void set_variable(const std::string& entry);
  // Each of these; `whole`: and no others.
  void set_variables(const std::vector<std::string>& entries, bool whole);

  // Finds the program as a shell would and checks that our runtime can live in it. Throws Error with one sentence why not.
  static Target resolve(const std::vector<std::string>& command, const std::string& directory = {});
  // The same without the check: for a program that is only started, such as git.
  static Target found(const std::vector<std::string>& command, const std::string& directory = {});
};

inline constexpr const char* kRuntimeFile = "libheddle-rt.so";
// Where the runtime library is, seen from the tool's own executable. Throws Error when it is nowhere.
std::string runtime_library();

}  // namespace heddle::exec
