#pragma once
// Shards brought together: what merge does, and status for those that are done.
#include <string>
#include <vector>

#include "cli/suite_report.h"

namespace heddle::cli {

struct MergeArguments {
  std::vector<std::string> places;
  SuiteFiles files;
  bool json = false;
};

// Prints the whole, copies the bugs, and returns the exit code: without a failure, missing shards mean that nothing is known. `under_way`: some
// may still come.
int merge_shards(const MergeArguments& options, bool under_way = false);

}  // namespace heddle::cli
