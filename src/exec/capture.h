#pragma once
// A program started plainly, without our runtime: one that is asked something (which tests it has, which version it is), git, the user's own command that
// builds.
#include <string>
#include <vector>

#include "exec/target.h"

namespace heddle::exec {

struct Captured {
  std::string out, err;
  int wait_status = 0;
  bool late = false;  // it was killed when the time was over

  bool exited_with(int code) const;
  int code() const;  // the exit code; 128 + signal for one that was killed
};

// Reads nothing from the tool's own input, and is killed after `seconds`; so is all that it left running.
Captured capture(const Target& target, double seconds);

// Any program, found as a shell would; it takes as long as it takes, and a terminal's Ctrl-C reaches it. Throws Error where it cannot be started.
Captured run_command(const std::vector<std::string>& words, const std::string& directory);

}  // namespace heddle::exec
