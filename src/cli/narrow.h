#pragma once
// A whole test binary is too much for one schedule: the test in it that fails is looked for first.
#include <optional>

#include "cli/campaign.h"
#include "cli/progress.h"
#include "suite/case.h"

namespace heddle::cli {

// The failing test of a test binary that runs several, by a search of each by itself. Nothing for any other program, where the user chose a test, or
// where none fails alone. Takes a part of the budget of `options`; says on stderr what it found.
std::optional<suite::TestCase> failing_test(const Target& target, const CampaignOptions& options, Progress& progress);

}  // namespace heddle::cli
