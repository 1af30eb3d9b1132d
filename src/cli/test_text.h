#pragma once
// Regression tests for other people's suites: texts that carry a schedule.
#include <string>
#include <vector>

namespace heddle::cli {

struct EmittedTest {
  std::string id;       // of the bug
  std::string failure;  // one line
  std::vector<std::string> places;
  std::vector<std::string> command;  // program and arguments
  std::string replay;                // hd2:...
  std::string input;                 // standard input
};

// A POSIX shell script: 0 passes, 1 fails, 77 skipped. Its first argument, if any, is the program.
std::string shell_test(const EmittedTest& test);
// To be included by a CMakeLists.txt; writes the script and adds the test. `target`: the CMake target of the program, or empty for its path.
std::string ctest_test(const EmittedTest& test, const std::string& target);
// A C++ source file for GoogleTest, or Catch2 (2 or 3). The program is $HEDDLE_TEST_PROGRAM, the macro of that name, or the path.
std::string gtest_test(const EmittedTest& test);
std::string catch2_test(const EmittedTest& test);

}  // namespace heddle::cli
