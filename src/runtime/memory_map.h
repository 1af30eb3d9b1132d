#pragma once
// What is known of the program's memory, by address: a sparse map of 2 MB chunks. Bits by 16-byte granule say where heap blocks start and
// what has been freed; the detector hangs its shadow cells here too.
#include <stdint.h>

namespace heddle::rt {

struct ShadowCell;

inline constexpr uint32_t kChunkBits = 21;
inline constexpr uintptr_t kChunkBytes = uintptr_t{1} << kChunkBits;
inline constexpr uint32_t kGranuleBits = 4;
inline constexpr uint32_t kChunkWords = static_cast<uint32_t>(kChunkBytes >> kGranuleBits) / 64;
inline constexpr uint32_t kAddressBits = 47;

struct Chunk {
  uint64_t starts[kChunkWords];      // a heap block begins at this granule
  uint64_t freed[kChunkWords];       // belongs to a block in quarantine
  uint64_t words[kChunkWords / 64];  // a bit for each word of `starts` that ever was non-zero
  uintptr_t cover;                   // the block that reaches into this chunk from an earlier one, or 0
  ShadowCell* shadow;                // 4 cells for each 8 bytes, or nullptr
};

extern Chunk** g_chunks;  // by address >> kChunkBits; nullptr until map_memory()

bool map_memory();  // false: no address space for it

inline Chunk* chunk_at(uintptr_t address) {
  if (__builtin_expect(g_chunks == nullptr || (address >> kAddressBits) != 0, 0)) return nullptr;
  return __atomic_load_n(&g_chunks[address >> kChunkBits], __ATOMIC_ACQUIRE);
}
Chunk* make_chunk(uintptr_t address);  // nullptr where memory is short

// Memory of ours that the program's allocator knows nothing of; zeroed, only touched pages cost. nullptr where memory is short.
void* map_zeroed(uint64_t bytes);

}  // namespace heddle::rt
