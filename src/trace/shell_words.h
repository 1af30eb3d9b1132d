#pragma once
#include <string>
#include <vector>

#include "wire/rooms.h"

namespace heddle::trace {

// The words of a command as one would type them: quoted where a shell would take them apart.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace heddle::trace
