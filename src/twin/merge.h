#pragma once
// Two copies of one translation unit in one object: the instrumented one as it is, and the functions of the plain one beside it, under other names
// and on the same data. A note for each function says where both begin and what has to be known to choose between them (wire/twin_note.h).
#include <string>
#include <string_view>

namespace heddle::twin {

// The assembly text of both. Throws Unusual where that would not be safe. `jump`: every function goes to its twin at once, to try the twins without a
// runtime that chooses.
std::string merge(std::string_view instrumented, std::string_view plain, bool jump = false);

}  // namespace heddle::twin
