#include "store/blocks.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "trace/error.h"
#include "trace/hash.h"
#include "wire/version.h"

namespace heddle::store {

namespace {

constexpr uint64_t kLargestBlock = uint64_t{256} << 20;  // unpacked
constexpr int kStreamCompression = 1;                    // while the program waits for its core

uint64_t checksum_of(const BlockHeader& header, std::string_view packed) {
  return hash_bytes(packed.data(), packed.size(), hash_bytes(&header, offsetof(BlockHeader, checksum)));
}

}  // namespace

BlockFileHeader block_file_header(const char (&magic)[9], uint32_t version) {
  BlockFileHeader header{};
  std::memcpy(header.magic, magic, sizeof header.magic);
  header.version = version;
  header.wire_version = kWireVersion;
  return header;
}

std::string pack_block(uint32_t kind, uint32_t index, uint64_t first, std::string_view raw) {
  std::string packed(sizeof(BlockHeader) + ZSTD_compressBound(raw.size()), '\0');
  const size_t size =
      ZSTD_compress(packed.data() + sizeof(BlockHeader), packed.size() - sizeof(BlockHeader), raw.data(), raw.size(), kStreamCompression);
  if (ZSTD_isError(size) != 0) throw Error(fmt::format("cannot compress a recording: {}", ZSTD_getErrorName(size)));
  packed.resize(sizeof(BlockHeader) + size);
  BlockHeader header{kind, index, first, raw.size(), size, 0};
  header.checksum = checksum_of(header, std::string_view(packed).substr(sizeof header));
  std::memcpy(packed.data(), &header, sizeof header);
  return packed;
}

const char* unpack_block(std::string_view bytes, uint32_t index, BlockHeader* header, std::string* raw) {
  if (bytes.size() < sizeof *header) return "ends in the middle of a block";
  std::memcpy(header, bytes.data(), sizeof *header);
  const std::string_view packed = bytes.substr(sizeof *header);
  if (header->packed > packed.size()) return "ends in the middle of a block";
  const std::string_view body = packed.substr(0, header->packed);
  if (header->index != index || header->checksum != checksum_of(*header, body)) return "is damaged";
  if (header->raw > kLargestBlock || ZSTD_getFrameContentSize(body.data(), body.size()) != header->raw) return "is damaged";
  raw->resize(header->raw);
  const size_t size = ZSTD_decompress(raw->data(), raw->size(), body.data(), body.size());
  return ZSTD_isError(size) != 0 || size != raw->size() ? "is damaged" : nullptr;
}

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace heddle::store
