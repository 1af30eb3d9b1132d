#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace heddle::store {

// Compressed with zstd; `level` as zstd counts.
std::string pack(std::string_view raw, int level);
// Nothing for what is damaged or would be larger than `most`.
std::optional<std::string> unpack(std::string_view packed, size_t most);

}  // namespace heddle::store
