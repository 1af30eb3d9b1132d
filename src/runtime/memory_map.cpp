#include "runtime/memory_map.h"

#include <sys/mman.h>

#include "runtime/sys.h"

namespace heddle::rt {

Chunk** g_chunks;
Chunk* g_first_chunk;

void* map_zeroed(uint64_t bytes) {
  const long at = sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<void*>(at);
}

bool map_memory() {
  if (g_chunks != nullptr) return true;
  g_chunks = static_cast<Chunk**>(map_zeroed(sizeof(Chunk*) << (kAddressBits - kChunkBits)));
  return g_chunks != nullptr;
}

// Threads outside of our control may get here at the same time: the first to publish its chunk wins.
Chunk* make_chunk(uintptr_t address) {
  if (Chunk* there = chunk_at(address)) return there;
  if (g_chunks == nullptr || (address >> kAddressBits) != 0) return nullptr;
  auto* fresh = static_cast<Chunk*>(map_zeroed(kChunkMapping));
  if (fresh == nullptr) return nullptr;
  Chunk* nobody = nullptr;
  if (__atomic_compare_exchange_n(&g_chunks[address >> kChunkBits], &nobody, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    fresh->next = __atomic_load_n(&g_first_chunk, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&g_first_chunk, &fresh->next, fresh, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
    return fresh;
  }
  sys(SYS_munmap, fresh, kChunkMapping);
  return nobody;
}

}  // namespace heddle::rt
