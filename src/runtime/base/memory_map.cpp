#include "runtime/base/memory_map.h"

#include <sys/mman.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"

namespace heddle::rt {

Chunk** g_chunks;
Chunk* g_first_chunk;

namespace {

constexpr uint32_t kMaxOwnMemory = 256;
HEDDLE_APART OwnMemory g_own_memory[kMaxOwnMemory];
uint32_t g_own_memory_count;

void* map_pages(uint64_t bytes) {
  const long at = sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<void*>(at);
}

}  // namespace

void note_own_memory(const void* at, uint64_t bytes, bool shared) {
  const uint32_t n = __atomic_fetch_add(&g_own_memory_count, 1, __ATOMIC_RELAXED);
  const auto low = reinterpret_cast<uintptr_t>(at);
  if (n < kMaxOwnMemory) g_own_memory[n] = {low, low + ((bytes + 4095) & ~uint64_t{4095}), shared};
}

void forget_own_memory(const void* at) {
  uint32_t count = 0;
  own_memory(&count);
  for (uint32_t i = 0; i < count; ++i) {
    if (g_own_memory[i].low == reinterpret_cast<uintptr_t>(at)) g_own_memory[i] = {0, 0, false};
  }
}

const OwnMemory* own_memory(uint32_t* count) {
  *count = g_own_memory_count < kMaxOwnMemory ? g_own_memory_count : kMaxOwnMemory;
  return g_own_memory;
}

bool own_memory_is_known() { return g_own_memory_count <= kMaxOwnMemory; }

bool is_own_shared(uintptr_t address) {
  uint32_t count = 0;
  own_memory(&count);
  for (uint32_t i = 0; i < count; ++i) {
    if (g_own_memory[i].shared && address >= g_own_memory[i].low && address < g_own_memory[i].high) return true;
  }
  return false;
}

void* map_zeroed(uint64_t bytes) {
  void* at = map_pages(bytes);
  if (at != nullptr) note_own_memory(at, bytes);
  return at;
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
  auto* fresh = static_cast<Chunk*>(map_pages(kChunkMapping));
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
