#pragma once
// The environment variables that a program is started with to be under control.
#include <string>
#include <utility>
#include <vector>

#include "exec/channel.h"
#include "exec/target.h"

namespace heddle::exec {

std::vector<std::pair<std::string, std::string>> control_variables(const Target& target, const std::string& library,
                                                                   const Channel& channel);

}  // namespace heddle::exec
