#pragma once
// A 1-minimal part of a list: what LEAN (Fig. 3) does with threads and with iterations alike.
#include <cstddef>
#include <functional>
#include <vector>

#include "wire/rooms.h"

namespace heddle::simplify {

using Items = std::vector<size_t>;  // positions in the caller's list, in order
inline constexpr size_t kNoneRedundant = static_cast<size_t>(-1);

struct MinimiseTest {
  // Of these sets, each to be removed besides what is gone: the index of the first that is redundant, or kNoneRedundant. That one is gone then. Those
  // after it need not have been tried, and may have been at the same time.
  std::function<size_t(const std::vector<Items>& drops)> first_redundant;
  std::function<bool()> spent;
};

// What is known before a search: the items in the order of suspicion, and sets of them that may be all that is needed, the likeliest first.
struct Ranking {
  Items ranked;
  std::vector<Items> guesses;
};

// Leaves a 1-minimal subset of 0..ranked.size() - 1: the guesses, then a search among the first items in the order of suspicion, which finds k needed
// ones of n in about k log n rounds at most where removal is monotone (Junker 2004), and in few where suspicion is right; then ddmin, which makes
// 1-minimality sure.
void minimise(const Ranking& ranking, const MinimiseTest& test);
// Without ddmin.
void find_needed(const Ranking& ranking, const MinimiseTest& test);
// ddmin alone, where little is expected to go.
void minimise_again(size_t items, const MinimiseTest& test);

}  // namespace heddle::simplify
