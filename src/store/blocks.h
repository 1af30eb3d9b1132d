#pragma once
// Files that are written while a program runs: a header, then blocks, each compressed and with a checksum of its own, so that any beginning of the
// file is worth something.
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::store {

struct BlockFileHeader {
  char magic[8];
  uint32_t version;
  uint32_t wire_version;
};

struct BlockHeader {
  uint32_t kind;
  uint32_t index;     // among all blocks
  uint64_t first;     // what the kind says
  uint64_t raw;       // bytes
  uint64_t packed;    // bytes that follow
  uint64_t checksum;  // of the fields before and of what follows
};
static_assert(sizeof(BlockHeader) == 40);

BlockFileHeader block_file_header(const char (&magic)[9], uint32_t version);
// Throws Error with one sentence.
std::string pack_block(uint32_t kind, uint32_t index, uint64_t first, std::string_view raw);
// The block at `bytes`: nullptr where it is whole, or what is wrong with it ("ends in the middle of a block", "is damaged").
const char* unpack_block(std::string_view bytes, uint32_t index, BlockHeader* header, std::string* raw);

void write_all(int file, std::string_view bytes, const std::string& path);  // throws Error

}  // namespace heddle::store
