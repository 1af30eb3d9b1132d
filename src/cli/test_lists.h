#pragma once
// Asks those who know for the tests of a suite: a test binary, or CTest.
#include <optional>
#include <string>

#include "exec/target.h"
#include "suite/case.h"

namespace heddle::cli {

// The framework that the program is built with, unless it is a script.
std::optional<std::string> framework_of(const Target& target);

// Runs the binary, plainly, to list its tests. Throws Error where it does not answer, or answers with no test.
suite::TestList list_tests(const Target& target, const std::string& framework);

// Asks ctest. Throws Error where there is no ctest, the directory is none of CMake's, or it has no test.
suite::TestList ctest_tests(const std::string& build_directory);

// The program of a test, with what the suite sets for it.
Target target_of(const suite::TestCase& test);

}  // namespace heddle::cli
