#include "store/packed.h"

#include <zstd.h>

#include "trace/error.h"

namespace heddle::store {

std::string pack(std::string_view raw, int level) {
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  const size_t size = ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), level);
  if (ZSTD_isError(size) != 0) throw Error("cannot compress what is to be saved");
  packed.resize(size);
  return packed;
}

std::optional<std::string> unpack(std::string_view packed, size_t most) {
  const unsigned long long raw_size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (raw_size == ZSTD_CONTENTSIZE_ERROR || raw_size == ZSTD_CONTENTSIZE_UNKNOWN || raw_size > most) return std::nullopt;
  std::string raw(raw_size, '\0');
  const size_t size = ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0 || size != raw.size()) return std::nullopt;
  return raw;
}

}  // namespace heddle::store
