#pragma once
// Schedules near a given one, drawn independently of each other: what they show is a share that can be measured.
#include <vector>

#include "search/search.h"

namespace heddle::search {

struct Neighbourhood {
  std::vector<Slice> slices;
  std::vector<bool> chosen;  // by slice: its end is a switch that the schedule chose; the others come by themselves
  std::vector<Choice> choices;
};
Neighbourhood neighbourhood_of(const Trace& failing);

// Each proposal is a function of the seed and its index alone, so that the runs are independent draws from one distribution: the ends of slices
// are moved by a few operations, some are left out, and what follows is at random; a third ignores the schedule. Never exhausted.
std::unique_ptr<Search> around(const SearchOptions& options, Neighbourhood neighbourhood);

}  // namespace heddle::search
