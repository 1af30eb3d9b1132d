#include "simplify/suspicion.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "simplify/dependence.h"

namespace heddle::simplify {

namespace {

struct Suspect {
  ThreadId thread;
  bool in_bug = false;
  size_t rarity = std::numeric_limits<size_t>::max();  // how many candidates do what the fewest do, of what it does
  size_t last = 0;                                     // its latest event that touched what the bug's threads touch, plus one
};

// For each thread of the trace the candidate that it descends from, or kNoIndex.
std::vector<uint32_t> candidate_of(const Trace& trace, const std::vector<ThreadId>& candidates) {
  std::unordered_map<ThreadId, uint32_t> index;
  for (uint32_t c = 0; c < candidates.size(); ++c) index.emplace(candidates[c], c);
  std::vector<uint32_t> owner(trace.threads().size(), kNoIndex);
  for (uint32_t t = 0; t < owner.size(); ++t) {
    const auto at = index.find(trace.threads()[t].id);
    if (at != index.end()) {
      owner[t] = at->second;
    } else if (t > 0) {
      owner[t] = owner[trace.threads()[t].parent];
    }
  }
  return owner;
}

}  // namespace

std::vector<ThreadId> by_suspicion(const Trace& failing, const std::vector<ThreadId>& candidates) {
  const std::vector<uint32_t> owner = candidate_of(failing, candidates);
  std::vector<Suspect> suspects(candidates.size());
  for (size_t c = 0; c < candidates.size(); ++c) suspects[c].thread = candidates[c];

  std::unordered_set<uint32_t> bug_threads;
  for (size_t e : bug_events(failing)) bug_threads.insert(failing.events()[e].thread);
  for (uint32_t t : bug_threads) {
    if (owner[t] != kNoIndex) suspects[owner[t]].in_bug = true;
  }
  std::unordered_set<ObjectId> bug_objects;
  std::unordered_map<SiteId, std::vector<uint32_t>> visitors;  // each candidate once
  for (const Event& e : failing.events()) {
    if (bug_threads.contains(e.thread) && e.object != kNoObject) bug_objects.insert(e.object);
    if (owner[e.thread] == kNoIndex || e.site == kNoSite) continue;
    auto& list = visitors[e.site];
    if (std::find(list.rbegin(), list.rend(), owner[e.thread]) == list.rend()) list.push_back(owner[e.thread]);
  }
  for (const auto& [site, list] : visitors) {
    for (uint32_t c : list) suspects[c].rarity = std::min(suspects[c].rarity, list.size());
  }
  for (size_t i = 0; i < failing.events().size(); ++i) {
    const Event& e = failing.events()[i];
    if (owner[e.thread] != kNoIndex && bug_objects.contains(e.object)) suspects[owner[e.thread]].last = i + 1;
  }

  std::stable_sort(suspects.begin(), suspects.end(), [](const Suspect& a, const Suspect& b) {
    return std::tuple(!a.in_bug, a.rarity, b.last) < std::tuple(!b.in_bug, b.rarity, a.last);
  });
  std::vector<ThreadId> out;
  for (const Suspect& s : suspects) out.push_back(s.thread);
  return out;
}

}  // namespace heddle::simplify
