#pragma once
// Test binaries: which framework one is linked with, which test cases it has, and the words that run one of them.
#include <optional>
#include <string>
#include <vector>

#include "suite/case.h"

namespace heddle::suite {

// By what the program or a library that it asks for by name holds; nothing for any other program. Runs nothing.
std::optional<std::string> framework_of(const std::string& program);

// Whether the user already chose among the test cases.
bool has_filter(const std::string& framework, const std::vector<std::string>& command);

// The words that make the binary list its tests. A filter of the user's own holds: only the cases that it lets through are listed.
std::vector<std::string> listing_command(const std::string& framework, const std::vector<std::string>& command);
// From what it printed then. Throws Error where that is no test.
TestList listed_tests(const std::string& framework, const std::vector<std::string>& command, const std::string& listing);

// The test cases that failed, or were under way when the run ended, by what the whole binary printed in it; also names that are none.
std::vector<std::string> failed_tests(const std::string& framework, const std::string& output);

// The names in what a binary printed.
std::vector<std::string> gtest_names(const std::string& listing);
std::vector<std::string> catch_names(const std::string& listing);
std::vector<std::string> doctest_names(const std::string& listing);

}  // namespace heddle::suite
