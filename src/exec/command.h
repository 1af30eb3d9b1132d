#pragma once
// Other programs that the tool starts for the user: git, and the user's own command that builds.
#include <string>
#include <vector>

namespace heddle::exec {

struct CommandResult {
  int code = 0;     // exit code; 128 + signal for one that was killed
  std::string out;  // standard output
  std::string err;
};
// Waits for it, with nothing on its standard input. Throws Error where it cannot be started.
CommandResult run_command(const std::vector<std::string>& words, const std::string& directory);

}  // namespace heddle::exec
