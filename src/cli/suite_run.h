#pragma once
// Many tests, one budget: deals slices of runs out to the tests of a suite, and works out what fails.
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cli/campaign.h"
#include "cli/debugging.h"
#include "cli/finding.h"
#include "cli/suite_table.h"
#include "suite/case.h"
#include "suite/dealer.h"
#include "suite/result.h"

namespace heddle::cli {

struct SuiteOptions {
  CampaignOptions campaign;  // its executions: of each test; its seconds: of the whole
  DebugOptions debug;
  suite::Shard shard;
  bool first_only = false;  // stop at the first failure
  bool keep = true;         // save what fails
  bool partial = false;     // tests that the time does not reach are left to the next run
  bool explain = true;      // work failures out, with a page for each
};

class SuiteRun {
 public:
  // `before`: what the last run of the suite found, to begin with what is known to fail and what was built anew.
  SuiteRun(suite::TestList list, SuiteOptions options, const std::optional<suite::SuiteResult>& before);

  // Called whenever a verdict is final, with the number of the test.
  using OnSettled = std::function<void(const suite::SuiteResult& result, size_t test)>;
  suite::SuiteResult run(Progress& progress, const OnSettled& settled);
  // At any moment of run(), for the live table.
  SuiteState state() const;

 private:
  struct Row {
    uint64_t behaviours = 0;
    size_t slices = 0;
    bool settled = false;
    bool alone = false;  // its runs disturb each other: one at a time
  };
  double left() const;
  double plain_seconds() const;  // for a run without control
  CampaignOptions slice_options(const suite::TestCase& test, const suite::Dealt& dealt) const;
  suite::SliceReport run_slice(const suite::Dealt& dealt, Progress& progress);
  void judge(Campaign& campaign, const CampaignOptions& options, const Found& found, suite::TestResult& result, Progress& progress);
  std::vector<suite::TestHistory> history(const std::optional<suite::SuiteResult>& before) const;
  void set_up(const std::string& fixture);
  void set_up_fixtures();
  void clean_up_fixtures();

  suite::TestList list_;
  SuiteOptions options_;
  suite::SuiteResult result_;
  std::vector<Row> rows_;
  std::vector<size_t> turns_;        // tests that had one, the latest last
  std::vector<std::string> set_up_;  // fixtures, in the order in which they were set up
  std::vector<suite::TestHistory> history_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::cli
