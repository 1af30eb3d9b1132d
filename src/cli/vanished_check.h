#pragma once
// Is the check that failed still in the program? Where an assertion was taken out the failure is hidden, not mended.
#include <set>
#include <string>

#include "trace/anchors.h"

namespace heddle::cli {

// The text of the assertion that is gone, "balance >= 0"; empty: it is there, or the failure was no assertion. `sources`: files that `run` came through.
std::string vanished_check(const AnchoredEnding& ending, const std::set<std::string>& sources, const Trace& run);

}  // namespace heddle::cli
