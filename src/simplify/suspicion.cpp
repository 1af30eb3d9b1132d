#include "simplify/suspicion.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "simplify/dependence.h"

namespace heddle::simplify {

namespace {

constexpr size_t kNever = std::numeric_limits<size_t>::max();

struct Suspect {
  bool in_bug = false;
  size_t near = kNever;    // how close it came to the last operations of the bug's threads
  size_t rarity = kNever;  // how many candidates do what the fewest do, of what it does
  size_t last = 0;         // its latest event that touched what the bug's threads touch, plus one
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

class Suspicion {
 public:
  Suspicion(const Trace& failing, const std::vector<ThreadId>& candidates)
      : failing_(failing), owner_(candidate_of(failing, candidates)), suspects_(candidates.size()) {
    for (size_t e : bug_events(failing)) bug_threads_.insert(failing.events()[e].thread);
    for (uint32_t t : bug_threads_) {
      if (owner_[t] != kNoIndex) suspects_[owner_[t]].in_bug = true;
    }
    count_visits();
    look_near();
  }

  Ranking ranking() const {
    const Items near = sorted([](const Suspect& s) { return std::tuple(s.near, s.rarity, kNever - s.last); });
    const Items odd = sorted([](const Suspect& s) { return std::tuple(s.rarity, s.near, kNever - s.last); });
    Ranking all;
    std::vector<bool> taken(suspects_.size());
    const auto take = [&](size_t i) {
      if (!taken[i]) all.ranked.push_back(i);
      taken[i] = true;
    };
    for (size_t i = 0; i < suspects_.size(); ++i) {
      if (suspects_[i].in_bug) take(i);
    }
    const Items in_bug = all.ranked;
    for (size_t i = 0; i < suspects_.size(); ++i) {
      take(near[i]);
      take(odd[i]);
    }
    add_guesses(all, in_bug, near, odd);
    return all;
  }

 private:
  template <typename Key>
  Items sorted(const Key& key) const {
    Items items(suspects_.size());
    std::iota(items.begin(), items.end(), size_t{0});
    std::stable_sort(items.begin(), items.end(), [&](size_t a, size_t b) { return key(suspects_[a]) < key(suspects_[b]); });
    return items;
  }

  // The bug's threads; those and who came nearest: one, three, seven; those and the odd ones.
  void add_guesses(Ranking& all, const Items& in_bug, const Items& near, const Items& odd) const {
    constexpr size_t kMostOdd = 4, kMostNear = 8;
    const size_t half = suspects_.size() / 2;
    if (in_bug.size() > 1) all.guesses.push_back(in_bug);
    Items some = in_bug, odd_ones = in_bug;
    const auto try_odd = [&] {
      for (size_t i : odd) {
        const bool is_odd = !suspects_[i].in_bug && suspects_[i].rarity * 8 <= suspects_.size();
        if (is_odd && odd_ones.size() - in_bug.size() < kMostOdd) odd_ones.push_back(i);
      }
      if (odd_ones.size() > in_bug.size()) all.guesses.push_back(odd_ones);
    };
    size_t next = std::max<size_t>(2, in_bug.size() + 1);  // an interleaving needs two
    for (size_t i : near) {
      if (suspects_[i].in_bug || suspects_[i].near == kNever || next > kMostNear || next > half) continue;
      some.push_back(i);
      if (some.size() < next) continue;
      all.guesses.push_back(some);
      next *= 2;
      if (odd_ones.size() == in_bug.size()) try_odd();
    }
    if (odd_ones.size() == in_bug.size()) try_odd();
  }

  void count_visits() {
    std::unordered_set<ObjectId> bug_objects;
    std::unordered_map<SiteId, std::unordered_set<uint32_t>> visitors;
    for (const Event& e : failing_.events()) {
      if (bug_threads_.contains(e.thread) && e.object != kNoObject) bug_objects.insert(e.object);
      if (owner_[e.thread] != kNoIndex && e.site != kNoSite) visitors[e.site].insert(owner_[e.thread]);
    }
    for (const auto& [site, list] : visitors) {
      for (uint32_t c : list) suspects_[c].rarity = std::min(suspects_[c].rarity, list.size());
    }
    for (size_t i = 0; i < failing_.events().size(); ++i) {
      const Event& e = failing_.events()[i];
      if (owner_[e.thread] != kNoIndex && bug_objects.contains(e.object)) suspects_[owner_[e.thread]].last = i + 1;
    }
  }

  // Backwards: on which objects did the bug's threads operate last, and who was there before them? The first who was at the last object comes first, then
  // the second at it and the first at the one before, and so on: who hands over the work that fails may be at another object than who is in its way.
  void look_near() {
    constexpr size_t kMostObjects = 8;
    struct Place {
      size_t index;
      std::vector<bool> seen;
      size_t visitors = 0;
    };
    std::unordered_map<ObjectId, Place> places;
    size_t shared = 0;  // places that others visit, too
    for (size_t i = failing_.events().size(); i-- > 0;) {
      const Event& e = failing_.events()[i];
      if (e.object == kNoObject) continue;
      const auto place = places.find(e.object);
      if (bug_threads_.contains(e.thread)) {
        if (place == places.end() && shared < kMostObjects) places.emplace(e.object, Place{kNever, std::vector<bool>(suspects_.size())});
        continue;
      }
      const uint32_t who = owner_[e.thread];
      if (place == places.end() || who == kNoIndex || place->second.seen[who]) continue;
      Place& at = place->second;
      if (at.index == kNever) at.index = shared++;
      at.seen[who] = true;
      suspects_[who].near = std::min(suspects_[who].near, (at.visitors + at.index) * 2 * kMostObjects + at.index);
      ++at.visitors;
    }
  }

  const Trace& failing_;
  const std::vector<uint32_t> owner_;
  std::vector<Suspect> suspects_;
  std::unordered_set<uint32_t> bug_threads_;
};

}  // namespace

Ranking by_suspicion(const Trace& failing, const std::vector<ThreadId>& candidates) { return Suspicion(failing, candidates).ranking(); }

}  // namespace heddle::simplify
