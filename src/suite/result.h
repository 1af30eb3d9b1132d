#pragma once
// What is known about each test of a suite, and its form on disk (and on --json's standard output).
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "suite/shard.h"

namespace heddle::suite {

enum class TestVerdict {
  kPassed,       // no schedule that was run fails
  kFailure,      // fails under some schedule, and passes under another
  kFailsAlways,  // fails under every schedule that was run: no matter of threads
  kFlaky,        // fails only if somebody is slower than a sleep or a time-out; or the same schedule did not fail again: real time decides
  kNoThreads,    // it starts none: one run says everything
  kCannotTest,   // for the reason given
};
const char* name(TestVerdict verdict);
// Throws Error for a name that is none.
TestVerdict verdict_named(const std::string& name);
// Whether it speaks against the program.
bool is_bad(TestVerdict verdict);

struct TestResult {
  std::string name;
  TestVerdict verdict = TestVerdict::kCannotTest;
  uint64_t executions = 0;
  double seconds = 0;
  std::string bug;                // as shown to the user: ".heddle/bugs/7c1e"; empty where there is none
  std::vector<std::string> bugs;  // all of them, where there are several
  std::string signature;          // of the failure
  std::string words;              // the failure in one line, or why it cannot be tested
  std::string command;            // for people, to run it alone
  std::string build;              // of its program
  uint32_t missed = 0;            // runs of the suite in a row, this one the last, that had no time left for it
  bool expected = false;          // listed as an expected failure, suppressed, or in the baseline
};

struct SuiteResult {
  std::string framework;
  std::string subject;  // the program or the build directory, as given
  std::string build;    // of what was tested
  uint64_t seed = 1;
  uint64_t executions = 0;  // of each test; 0: dealt out by time
  Shard shard;
  bool partial = false;  // what was not reached is left to the next run, on purpose
  std::vector<TestResult> tests;

  size_t count(TestVerdict verdict) const;
  // Failures that nobody expects.
  size_t news() const;
  size_t not_reached() const;
  // "failure", "none", or "inconclusive" where no test could be tested, or the time was over before each had its turn.
  const char* verdict() const;
};

nlohmann::ordered_json json_of(const SuiteResult& result);
// Throws Error with one sentence for a file that is none of ours.
SuiteResult read_result(const std::string& path);

// Marks what the baseline, an earlier result, already had: the same test with the same failure.
void expect_baseline(SuiteResult& result, const SuiteResult& baseline);

}  // namespace heddle::suite
