#include "suite/shard.h"

#include <fmt/format.h>

#include <charconv>

#include "trace/error.h"
#include "wire/ids.h"

namespace heddle::suite {

namespace {

constexpr uint32_t kMostShards = 100'000;

bool read_number(std::string_view text, uint32_t& to) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), to);
  return failure == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

uint64_t Shard::seed(uint64_t campaign_seed) const { return whole() ? campaign_seed : mix(mix(campaign_seed, 0x5AADu + index), count); }

Shard shard_of(const std::string& text) {
  const size_t slash = text.find('/');
  Shard shard;
  const bool read = slash != std::string::npos && read_number(std::string_view(text).substr(0, slash), shard.index) &&
                    read_number(std::string_view(text).substr(slash + 1), shard.count);
  if (!read || shard.index < 1 || shard.index > shard.count || shard.count > kMostShards)
    throw Error(fmt::format("--shard takes I/N, such as 2/8, not {}", text), ExitCode::kUsage);
  return shard;
}

}  // namespace heddle::suite
