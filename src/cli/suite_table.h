#pragma once
// The live table of heddle test: what is known of each test so far, as much of it as the terminal has room for.
#include <optional>
#include <string>
#include <vector>

#include "suite/result.h"

namespace heddle::cli {

struct SuiteState {
  const suite::SuiteResult* result = nullptr;
  std::vector<size_t> turns;   // tests that had a turn, the latest last; that one has it now
  std::vector<bool> settled;   // by test: its verdict is final
  std::optional<double> left;  // seconds; nothing: the budget is a number of runs
};

std::vector<std::string> suite_table(const SuiteState& state, size_t rows, size_t width);

}  // namespace heddle::cli
