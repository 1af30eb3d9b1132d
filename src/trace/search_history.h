#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "wire/ids.h"

namespace heddle::trace {

// What the searches of a program have learnt, on which a later one may build. Kept by store/campaigns.h.
struct SearchHistory {
  std::unordered_map<uint64_t, uint64_t> tried;       // how often each pair of sites was turned round (see search/reversal.h)
  std::unordered_map<uint64_t, uint32_t> behaviours;  // how often each was seen (see trace/happens_before.h)
  std::vector<SiteId> sites;                          // racing accesses; sorted
};

}  // namespace heddle::trace
