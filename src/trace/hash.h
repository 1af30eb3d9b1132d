#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "wire/ids.h"

namespace heddle::trace {

// 64 bits over the contents: names inputs and bugs, and guards files against damage. Not against forgery.
inline uint64_t hash_bytes(const void* data, size_t size, uint64_t start = 0) {
  const auto* at = static_cast<const unsigned char*>(data);
  uint64_t hash = mix(start, size);
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = mix(hash, word);
  }
  uint64_t rest = 0;
  if (size > 0) std::memcpy(&rest, at, size);
  return mix(hash, rest);
}

}  // namespace heddle::trace
