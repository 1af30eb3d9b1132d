#pragma once
// What every search is made from: its row in the table of searches, and its plans.
#include "search/search.h"
#include "wire/rows.h"

namespace heddle::search {

// A copy of the base plan whose tail is the given policy, seeded for the index-th proposal.
Plan plan_with(const SearchOptions& options, PolicyKind kind, uint64_t index);

// Appends one operation to slices, lengthening the last one where it is the same thread's.
void append(std::vector<Slice>& slices, ThreadId thread, uint64_t number);
// Lets the plan begin with the first `count` events of a run and the choices that were made in them.
void follow(Plan& plan, const Trace& run, size_t count);

}  // namespace heddle::search
