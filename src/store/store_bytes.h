#pragma once
// Bytes written and read in order. Reading is total: behind the end, and after the first thing that makes no sense, everything
// reads as zero and ok() is false.
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::store {

class ByteWriter {
 public:
  void number(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  // Small for small distances in either direction; differences wrap around.
  void difference(uint64_t from, uint64_t to) {
    const uint64_t d = to - from;
    number((d << 1) ^ (0 - (d >> 63)));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return fail();
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) return fail();
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }
  uint64_t difference(uint64_t from) {
    const uint64_t z = number();
    return from + ((z >> 1) ^ (0 - (z & 1)));
  }
  std::string_view text() {
    const uint64_t size = number();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  // The number of items that follow, each of which takes at least one byte: a damaged count cannot ask for more memory than the
  // file has bytes.
  uint64_t count() {
    const uint64_t n = number();
    return n <= rest_.size() ? n : fail();
  }
  uint64_t below(uint64_t limit) {
    const uint64_t n = number();
    return n < limit ? n : fail();
  }
  uint64_t fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace heddle::store
