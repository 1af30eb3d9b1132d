#pragma once
// How alike two statements of a source are, after an edit: renamed variables cost little, another structure costs much.
#include <string_view>

namespace heddle::trace {

// 0 (nothing in common) to 1 (equal but for white space). The longest common subsequence of the tokens (Hunt & McIlroy 1976), in which two
// different names count as alike to a part.
double similarity(std::string_view a, std::string_view b);

}  // namespace heddle::trace
