#pragma once
// A campaign cut into N parts that know nothing of each other. What a part does follows from the campaign's seed, the part's number and N alone,
// so that the parts together give the same whatever runs them, and in whatever order.
#include <cstdint>
#include <string>

namespace heddle::suite {

struct Shard {
  uint32_t index = 1;  // from 1
  uint32_t count = 1;

  bool whole() const { return count == 1; }
  // "2/8"
  std::string text() const;
  // Of things numbered from 0, dealt out in turn.
  bool has(size_t number) const { return number % count == index - 1; }
  // Its share of a number of runs; the shares of all shards add up to it.
  uint64_t share(uint64_t total) const { return total / count + (index <= total % count ? 1 : 0); }
  // The seed of its search. The only shard of a campaign keeps the campaign's.
  uint64_t seed(uint64_t campaign_seed) const;
};

// Throws Error for anything but I/N with 1 <= I <= N <= 100,000.
Shard shard_of(const std::string& text);

}  // namespace heddle::suite
