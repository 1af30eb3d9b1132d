#pragma once
// What every search is made from: its row in the table of searches, and its plans.
#include "search/search.h"
#include "wire/rows.h"

namespace heddle::search {

// A copy of the base plan whose tail is the given policy, seeded for the index-th proposal.
Plan plan_with(const SearchOptions& options, PolicyKind kind, uint64_t index);

}  // namespace heddle::search
