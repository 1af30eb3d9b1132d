#pragma once
// Deals a budget out to the tests of a suite, a slice of runs at a time. A function of what it is told: no clock and no process in here.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::suite {

// What is known about a test before the first run.
struct TestHistory {
  bool known_bug = false;  // a saved schedule failed in an earlier run of the suite
  bool changed = true;     // its program was built anew since, or is not known
  uint32_t missed = 0;     // runs of the suite in a row that had no time left for it
};

struct Dealt {
  size_t test = 0;
  size_t slice = 0;  // how many it had before
  uint64_t executions = 0;
};

// What a slice brought.
struct SliceReport {
  uint64_t executions = 0;
  double seconds = 0;
  uint64_t new_behaviours = 0;
  bool settled = false;  // nothing more is to be learnt: a verdict, no threads, every schedule tried
  bool cut = false;      // its time was over before the first run was
};

class Dealer {
 public:
  // `executions`: of each test, in one slice; 0: slices that grow, until whoever asks has no more time.
  Dealer(const std::vector<TestHistory>& history, uint64_t executions);

  // The next slice, or nothing where every test is settled. Each test has its first before any has its second: known bugs before programs that
  // were built anew, and those before the others; among these, what was not reached for longest comes first. Later slices go where new behaviour came fastest.
  std::optional<Dealt> next();
  void report(const Dealt& dealt, const SliceReport& report);

 private:
  struct Row {
    size_t slices = 0;
    uint64_t executions = 0;
    double seconds = 0;
    double promise = 0;  // new behaviours a second, of the last slice
    bool settled = false;
  };
  uint64_t slice_size(const Row& row) const;

  std::vector<Row> rows_;
  std::vector<size_t> first_;  // the order of first slices
  size_t begun_ = 0;
  uint64_t executions_;
};

}  // namespace heddle::suite
