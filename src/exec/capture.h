#pragma once
// A program started plainly, without our runtime, to be asked something: which tests it has, which version it is.
#include <string>

#include "exec/target.h"

namespace heddle::exec {

struct Captured {
  std::string out, err;
  int wait_status = 0;
  bool late = false;  // it was killed when the time was over

  bool exited_with(int code) const;
};

// Reads nothing from the tool's own input, and is killed after `seconds`.
Captured capture(const Target& target, double seconds);

}  // namespace heddle::exec
