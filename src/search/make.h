#pragma once
// The makers behind the rows of registry.cpp, and what every search builds its plans from.
#include "search/search.h"

namespace heddle {

std::unique_ptr<Search> make_sequential(const SearchOptions&);
std::unique_ptr<Search> make_random(const SearchOptions&);
std::unique_ptr<Search> make_walk(const SearchOptions&);
std::unique_ptr<Search> make_pct(const SearchOptions&);
std::unique_ptr<Search> make_pos(const SearchOptions&);
std::unique_ptr<Search> make_surw(const SearchOptions&);
std::unique_ptr<Search> make_race(const SearchOptions&);
std::unique_ptr<Search> make_guided(const SearchOptions&);
std::unique_ptr<Search> make_bounded(const SearchOptions&);
std::unique_ptr<Search> make_rff(const SearchOptions&);
std::unique_ptr<Search> make_delay(const SearchOptions&);
std::unique_ptr<Search> make_period(const SearchOptions&);
std::unique_ptr<Search> make_frontier(const SearchOptions&);
std::unique_ptr<Search> make_gaussian(const SearchOptions&);
std::unique_ptr<Search> make_portfolio(const SearchOptions&);

// A copy of the base plan whose tail is the given policy, seeded for the index-th proposal.
Plan plan_with(const SearchOptions& options, PolicyKind kind, uint64_t index);

}  // namespace heddle
