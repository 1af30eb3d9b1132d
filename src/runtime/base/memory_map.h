#pragma once
// What is known of the program's memory, by address: a sparse map of 2 MB chunks. Bits by 16-byte granule say where heap blocks start and
// what has been freed; the detector's shadow cells lie behind them.
#include <stdint.h>

namespace heddle::rt {

inline constexpr uint32_t kChunkBits = 21;
inline constexpr uintptr_t kChunkBytes = uintptr_t{1} << kChunkBits;
inline constexpr uint32_t kGranuleBits = 4;
inline constexpr uint32_t kChunkWords = static_cast<uint32_t>(kChunkBytes >> kGranuleBits) / 64;
inline constexpr uint32_t kPageBits = 12;
inline constexpr uint32_t kChunkPages = static_cast<uint32_t>(kChunkBytes >> kPageBits);
inline constexpr uint32_t kAddressBits = 47;

struct Chunk {
  uint64_t starts[kChunkWords];        // a heap block begins at this granule
  uint64_t freed[kChunkWords];         // belongs to a block in quarantine
  uint64_t words[kChunkWords / 64];    // a bit for each word of `starts` that ever was non-zero
  uint64_t watched[kChunkPages / 64];  // a bit for each page of which the detector has cells
  uintptr_t cover;                     // the block that reaches into this chunk from an earlier one, or 0
  Chunk* next;                         // all of them, in no order
};

// Behind each chunk, of which only touched pages cost: the detector's cells, 32 bytes for each 8 of the program, and then 16 bytes for each 8
// for where these accesses were made.
inline constexpr uintptr_t kShadowAt = (sizeof(Chunk) + 4095) & ~uintptr_t{4095};
inline constexpr uintptr_t kPlacesAt = kShadowAt + kChunkBytes / 8 * 32;
inline constexpr uintptr_t kAtomicsAt = kPlacesAt + kChunkBytes / 8 * 16;  // a bit for each 4 bytes (runtime/memory/access_ring.cpp)
inline constexpr uintptr_t kChunkMapping = kAtomicsAt + kChunkBytes / 4 / 8;

extern Chunk** g_chunks;  // by address >> kChunkBits; nullptr until map_memory()

extern Chunk* g_first_chunk;

bool map_memory();  // false: no address space for it

inline Chunk* chunk_at(uintptr_t address) {
  if (__builtin_expect(g_chunks == nullptr || (address >> kAddressBits) != 0, 0)) return nullptr;
  return __atomic_load_n(&g_chunks[address >> kChunkBits], __ATOMIC_ACQUIRE);
}
Chunk* make_chunk(uintptr_t address);  // nullptr where memory is short

// Memory of ours that the program's allocator knows nothing of; zeroed, only touched pages cost. nullptr where memory is short.
void* map_zeroed(uint64_t bytes);

// What of the process's memory is ours and not the program's, the chunks apart: they are listed from g_first_chunk on.
struct OwnMemory {
  uintptr_t low, high;
  bool shared;  // with processes of ours
};
void note_own_memory(const void* at, uint64_t bytes, bool shared = false);
void forget_own_memory(const void* at);
const OwnMemory* own_memory(uint32_t* count);
bool own_memory_is_known();  // false: there was no room to list it
bool is_own_shared(uintptr_t address);

}  // namespace heddle::rt
