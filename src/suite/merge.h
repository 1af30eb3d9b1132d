#pragma once
// The results of the shards of one campaign as one result.
#include <string>
#include <vector>

#include "suite/result.h"

namespace heddle::suite {

struct ShardResult {
  std::string place;  // where it was read, for people
  SuiteResult result;
};

struct Merged {
  SuiteResult whole;
  std::vector<uint32_t> missing;  // shards that brought no result
};

// In any order. The same test of several shards becomes one: its runs add up, and a failure of any shard is the test's. Throws Error where a shard
// comes twice or belongs to another campaign: another seed, number of shards, budget, program or build.
Merged merge(std::vector<ShardResult> shards);

}  // namespace heddle::suite
