#pragma once
// The contents of files that runs of a bug read, kept beside its traces: one file for each content, named by its hash and compressed, and an
// index from paths to contents. What was kept first stays: all traces of a bug read the same.
#include <string>
#include <vector>

#include "store/seal.h"
#include "trace/input_log.h"

namespace heddle::store {

inline constexpr uint64_t kMostOfOneFile = uint64_t{64} << 20;
inline constexpr uint64_t kMostOfAllFiles = uint64_t{256} << 20;

// Files that a recording read and that are no longer there: kept in place of what lies at their names now.
void remember_originals(std::vector<RecordedFile> files);

// Keeps what the log names, as it is now. Returns what was not kept, a sentence each.
// `announce` is told of each file before it is written.
std::vector<std::string> keep_files(const std::string& directory, const InputLog& log, const Announce& announce = {});

// Those of the kept files that are no longer as they were. Throws Error where the contents are missing or damaged.
std::vector<RecordedFile> changed_files(const std::string& directory);

}  // namespace heddle::store
