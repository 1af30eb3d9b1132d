#include "runtime/memory/vector_clock.h"

#include <string.h>

#include "runtime/base/check.h"
#include "runtime/base/memory_map.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kArenaPiece = uint64_t{16} << 20;
char* g_arena;
uint64_t g_arena_left;

uint32_t* g_free[32];  // outgrown arrays by log2 of their size, linked through their first two words

uint32_t log2_of(uint32_t size) { return size <= 4 ? 2 : 32 - static_cast<uint32_t>(__builtin_clz(size - 1)); }

void reserve(VectorClock* clock, uint32_t size) {
  if (size <= clock->size) return;
  const uint32_t log2 = log2_of(size);
  uint32_t* fresh = g_free[log2];
  if (fresh != nullptr) {
    memcpy(&g_free[log2], fresh, sizeof(uint32_t*));
  } else {
    fresh = static_cast<uint32_t*>(arena(sizeof(uint32_t) << log2));
  }
  memset(fresh, 0, sizeof(uint32_t) << log2);
  if (clock->size > 0) {
    memcpy(fresh, clock->at, sizeof(uint32_t) * clock->size);
    const uint32_t old = log2_of(clock->size);
    memcpy(clock->at, &g_free[old], sizeof(uint32_t*));
    g_free[old] = clock->at;
  }
  clock->at = fresh;
  clock->size = 1u << log2;
}

}  // namespace

void* arena(uint64_t bytes) {
  bytes = (bytes + 15) & ~uint64_t{15};
  if (bytes > g_arena_left) {
    const uint64_t piece = bytes > kArenaPiece ? bytes : kArenaPiece;
    g_arena = static_cast<char*>(map_zeroed(piece));
    HEDDLE_CHECK(g_arena != nullptr);
    g_arena_left = piece;
  }
  void* result = g_arena;
  g_arena += bytes;
  g_arena_left -= bytes;
  return result;
}

void set_entry(VectorClock* clock, uint32_t thread, uint32_t value) {
  reserve(clock, thread + 1);
  clock->at[thread] = value;
}

void join(VectorClock* into, const VectorClock& from) {
  reserve(into, from.size);
  for (uint32_t i = 0; i < from.size; ++i) {
    if (from.at[i] > into->at[i]) into->at[i] = from.at[i];
  }
}

void assign(VectorClock* to, const VectorClock& from) {
  reserve(to, from.size);
  if (from.size > 0) memcpy(to->at, from.at, sizeof(uint32_t) * from.size);
  if (to->size > from.size) memset(to->at + from.size, 0, sizeof(uint32_t) * (to->size - from.size));
}

void clear(VectorClock* clock) {
  if (clock->size > 0) memset(clock->at, 0, sizeof(uint32_t) * clock->size);
}

}  // namespace heddle::rt
