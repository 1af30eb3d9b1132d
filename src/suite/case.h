#pragma once
// A test of somebody's suite: one test case of a test binary, or one test of CTest.
#include <string>
#include <vector>

#include "trace/ctest_rule.h"
#include "wire/rooms.h"

namespace heddle::suite {

struct TestCase {
  std::string name;                      // as the framework or CTest names it
  std::vector<std::string> command;      // runs this test and no other
  std::vector<std::string> environment;  // "NAME=value" on top of the tool's own; "NAME" alone takes one away
  std::string directory;                 // empty: the tool's
  std::vector<std::string> labels;
  std::vector<std::string> fixtures;  // CTest: those that must be set up before
  double timeout = 0;                 // seconds that a plain run may take; 0: not said
  CTestRule rule;                     // CTest: what decides besides the exit code
  std::string cannot;                 // why it cannot be tested, known without a run; empty: it can
};

// CTest: what has to run before and after the tests that require a fixture.
struct Fixture {
  std::string name;
  std::vector<TestCase> setup, cleanup;
  bool needed = true;  // where it fails, what requires it cannot be tested; an order (DEPENDS) only comes before
};

struct TestList {
  std::string framework;  // "GoogleTest", "Catch2", "doctest", "CTest"
  std::vector<TestCase> cases;
  std::vector<Fixture> fixtures;
};

}  // namespace heddle::suite
