#include "search/profile.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::search {

void Profile::add(const Trace& trace) {
  ++runs_;
  length_ = std::max<uint64_t>(length_, trace.data().executed);
  threads_ = std::max(threads_, trace.threads().size());
  // A run that went round in a loop for long says nothing about how much work the threads have.
  const size_t most = 4 * (first_ == 0 ? first_ = trace.events().size() : first_);
  if (trace.events().size() > richest_.events().size() && trace.events().size() <= most) richest_ = trace;
  for (const EventPair& pair : reversible_conflicts(trace)) {
    const Event& first = trace.events()[pair.first];
    const Event& second = trace.events()[pair.second];
    const auto sites = std::minmax(first.site, second.site);
    const auto [it, fresh] = index_.try_emplace({first.object, {sites.first, sites.second}}, meetings_.size());
    if (fresh) {
      meetings_.push_back({first.object, sites.first, sites.second, 0});
      // Two of them where one is the free of a block.
      for (ObjectId object : {first.object, second.object}) {
        if (std::find(objects_.begin(), objects_.end(), object) == objects_.end()) objects_.push_back(object);
      }
    }
    ++meetings_[it->second].runs;
  }
}

std::vector<Weight> Profile::weights(const std::vector<uint64_t>& marks) const {
  std::vector<Weight> weights;
  for (const Thread& t : richest_.threads()) {
    const bool child = !weights.empty();
    weights.push_back({t.id, child ? static_cast<uint64_t>(t.parent + 1) << 32 : 0});
  }
  const std::unordered_set<uint64_t> selection(marks.begin(), marks.end());
  for (const Event& e : richest_.events()) {
    if (marks.empty() || selection.contains(e.object) || selection.contains(e.site)) ++weights[e.thread].count;
  }
  return weights;
}

}  // namespace heddle::search
