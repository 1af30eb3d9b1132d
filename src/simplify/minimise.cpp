#include "simplify/minimise.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace heddle::simplify {

namespace {

class Minimiser {
 public:
  Minimiser(Items ranked, const MinimiseTest& test) : ranked_(std::move(ranked)), test_(test), present_(ranked_.size(), true) {}

  void guess(const std::vector<Items>& guesses) {
    std::vector<Items> drops;
    for (const Items& needed : guesses) {
      const std::set<size_t> stay(needed.begin(), needed.end());
      Items drop;
      for (size_t i = 0; i < present_.size(); ++i) {
        if (!stay.contains(i)) drop.push_back(i);
      }
      if (!drop.empty()) drops.push_back(std::move(drop));
    }
    if (drops.empty() || first_redundant(drops) == kNoneRedundant) return;
    std::erase_if(ranked_, [&](size_t i) { return !present_[i]; });
  }

  void find() {
    size_t limit = ranked_.size();  // only the first `limit` and `needed_` are still in
    while (limit > 0 && !test_.spent()) {
      if (needed_.size() > 8 && needed_.size() * 4 > ranked_.size()) break;  // nearly everything is needed: ddmin's complements are cheaper
      const size_t enough = least_enough(limit);
      if (enough == 0) break;
      needed_.push_back(ranked_[enough - 1]);
      limit = enough - 1;
    }
  }

  void finish() {
    Items left;
    for (size_t i = 0; i < present_.size(); ++i) {
      if (present_[i]) left.push_back(i);
    }
    ddmin(std::move(left));
  }

 private:
  // What goes where the first n and the needed ones stay.
  Items all_but_first(size_t n) const {
    std::vector<bool> keep(present_.size());
    for (size_t i = 0; i < n; ++i) keep[ranked_[i]] = true;
    for (size_t i : needed_) keep[i] = true;
    Items drop;
    for (size_t i = 0; i < present_.size(); ++i) {
      if (present_[i] && !keep[i]) drop.push_back(i);
    }
    return drop;
  }

  size_t first_redundant(const std::vector<Items>& drops) {
    const size_t found = test_.first_redundant(drops);
    if (found == kNoneRedundant) return found;
    for (size_t i : drops[found]) present_[i] = false;
    return found;
  }

  // The least n such that with the first n and the needed ones it still fails: by growing steps first, then by halves.
  size_t least_enough(size_t limit) {
    size_t low = needed_.empty() ? 1 : 0, high = limit;
    std::vector<size_t> sizes;
    std::vector<Items> drops;
    for (size_t n = low; n < high; n = std::max<size_t>(n + 1, 4 * n)) {
      sizes.push_back(n);
      drops.push_back(all_but_first(n));
    }
    const size_t grown = first_redundant(drops);
    if (grown != kNoneRedundant) high = sizes[grown];
    const size_t failed = grown == kNoneRedundant ? sizes.size() : grown;
    if (failed > 0) low = sizes[failed - 1] + 1;
    while (low < high && !test_.spent()) {
      const size_t middle = low + (high - low) / 2;
      if (first_redundant({all_but_first(middle)}) == 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  // LEAN Fig. 3.
  void ddmin(Items c) {
    size_t n = 2;
    while (!c.empty() && !test_.spent()) {
      n = std::min(n, c.size());
      std::vector<Items> parts, others;
      for (size_t i = 0; i < n; ++i) {
        const auto begin = c.begin() + static_cast<std::ptrdiff_t>(c.size() * i / n);
        const auto end = c.begin() + static_cast<std::ptrdiff_t>(c.size() * (i + 1) / n);
        parts.emplace_back(begin, end);
        others.emplace_back(c.begin(), begin);
        others.back().insert(others.back().end(), end, c.end());
      }
      const size_t kept = n < c.size() ? first_redundant(others) : kNoneRedundant;
      if (kept != kNoneRedundant) {
        c = parts[kept];
        n = 2;
        continue;
      }
      const size_t dropped = first_redundant(parts);
      if (dropped != kNoneRedundant) {
        c = others[dropped];
        n = std::max<size_t>(n - 1, 2);
        continue;
      }
      if (n >= c.size()) break;
      n *= 2;
    }
  }

  Items ranked_;
  const MinimiseTest& test_;
  std::vector<bool> present_;
  Items needed_;
};

}  // namespace

void minimise(const Ranking& ranking, const MinimiseTest& test) {
  Minimiser minimiser(ranking.ranked, test);
  minimiser.guess(ranking.guesses);
  minimiser.find();
  minimiser.finish();
}

void find_needed(const Ranking& ranking, const MinimiseTest& test) {
  Minimiser minimiser(ranking.ranked, test);
  minimiser.guess(ranking.guesses);
  minimiser.find();
}

void minimise_again(size_t items, const MinimiseTest& test) {
  Items all(items);
  std::iota(all.begin(), all.end(), size_t{0});
  Minimiser(std::move(all), test).finish();
}

}  // namespace heddle::simplify
