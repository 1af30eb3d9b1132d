#pragma once
// CTest's ENVIRONMENT_MODIFICATION: changes of variables that depend on what they hold.
#include <string>
#include <vector>

namespace heddle::suite {

// `environment` after each "NAME=operation:value" in turn: "NAME=value" on top of this process's own, or "NAME" for one that is taken away. Throws Error
// for an operation that CTest does not have.
std::vector<std::string> modified_environment(std::vector<std::string> environment, const std::vector<std::string>& modifications);

}  // namespace heddle::suite
