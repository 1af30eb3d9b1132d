#pragma once
#include <string>
#include <vector>

namespace heddle::cli {

// The words of a command as one would type them: quoted where a shell would take them apart.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace heddle::cli
