#pragma once
// The forms in which a bug leaves the tool as a file: each has its row in the file that writes it.
#include <string>
#include <vector>

#include "report/text.h"
#include "wire/rows.h"

namespace heddle::report {

// Runs of the same bug beside the one that the story tells.
struct OtherRuns {
  const Trace* found = nullptr;    // as it was found, before it was simplified
  const Trace* reduced = nullptr;  // with whole threads removed
};

struct FormatRow {
  uint32_t rank;     // its place in --help; the first is the default
  const char* name;  // of --format
  const char* file;  // beside the bug
  std::string (*text)(const Story& story, const OtherRuns& others);
};
const std::vector<FormatRow>& formats();

}  // namespace heddle::report
