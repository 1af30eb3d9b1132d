#pragma once
// CTest: the tests of a build directory, as `ctest --show-only=json-v1` describes them.
#include <string>

#include "suite/case.h"

namespace heddle::suite {

// From ctest's own description. Throws Error for a text that is none.
TestList read_ctest(const std::string& description);

}  // namespace heddle::suite
