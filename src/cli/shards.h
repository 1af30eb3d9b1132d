#pragma once
// The parts of a campaign on disk: what a shard leaves, and where the bugs of many are brought together.
#include <string>
#include <vector>

#include "suite/merge.h"

namespace heddle::cli {

// Beside the bugs of the shard. Throws Error.
void save_shard(const suite::SuiteResult& result);

bool has_shard(const std::string& place);
// `place`: the directory that holds a shard's .heddle. Throws Error with one sentence where there is no result.
suite::ShardResult load_shard(const std::string& place);

// Copies the bugs of a shard to this directory's store. The same bug is not taken twice; the result names the bugs as they are called here.
void take_bugs(suite::ShardResult& shard);

}  // namespace heddle::cli
