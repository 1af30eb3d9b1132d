#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "wire/rooms.h"

namespace heddle::symbols {

// Variables of libraries that lie in the program's own memory, since the program was linked to a fixed place (copy relocations): from, to.
// A file that cannot be read has none.
std::vector<std::pair<uint64_t, uint64_t>> copied_objects(const std::string& path);

}  // namespace heddle::symbols
