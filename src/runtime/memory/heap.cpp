#include "runtime/memory/heap.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/engine/due.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/access_ring.h"
#include "runtime/memory/aside_heap.h"
#include "runtime/memory/call_sites.h"
#include "runtime/memory/code_access.h"
#include "runtime/memory/heap_calls.h"
#include "runtime/memory/hooks.h"
#include "runtime/memory/quarantine.h"
#include "runtime/memory/races.h"

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
}

namespace heddle::rt {

bool g_code_accesses;

namespace {

constexpr uint32_t kHeader = sizeof(BlockHeader);
constexpr uint64_t kLargest = (uint64_t{1} << 40) - 1;
constexpr uint32_t kNoOwner = static_cast<uint32_t>(kMaxThreads) - 1;
// Larger blocks move inside the C library, which may do it without a copy.
constexpr size_t kMovesInPlace = 64 * 1024;

bool g_tracking;
HEDDLE_APART uint32_t g_allocations[kMaxThreads];

BlockHeader* header_of(uintptr_t start) { return reinterpret_cast<BlockHeader*>(start) - 1; }

struct Granule {
  uint32_t word;
  uint64_t bit;
};
Granule granule(uintptr_t address) {
  const auto index = static_cast<uint32_t>((address & (kChunkBytes - 1)) >> kGranuleBits);
  return {index / 64, uint64_t{1} << (index % 64)};
}

bool starts_block(uintptr_t address) {
  const Chunk* chunk = (address & (kHeader - 1)) == 0 ? chunk_at(address) : nullptr;
  if (chunk == nullptr) return false;
  const Granule g = granule(address);
  return (__atomic_load_n(&chunk->starts[g.word], __ATOMIC_RELAXED) & g.bit) != 0;
}

void set_cover(uintptr_t start, size_t size, uintptr_t cover) {
  for (uintptr_t at = (start | (kChunkBytes - 1)) + 1; at < start + size; at += kChunkBytes) {
    if (Chunk* chunk = make_chunk(at)) chunk->cover = cover;
  }
}

// The C library's memory becomes a block of ours. Threads outside of our control come here too: bits change atomically.
void* enter(void* raw, size_t size, uint32_t alignment_log2, const void* pc) {
  if (raw == nullptr) return nullptr;
  const uintptr_t start = reinterpret_cast<uintptr_t>(raw) + (uintptr_t{1} << alignment_log2);
  BlockHeader* h = header_of(start);
  Chunk* chunk = make_chunk(start);
  if (chunk == nullptr) return nullptr;
  const bool named = t_managed || !g_run.active;
  const uint32_t owner = !named ? kNoOwner : t_managed ? g_current->index : 0;
  h->size = size & kLargest;
  h->thread = owner & (kMaxThreads - 1);
  h->alignment = alignment_log2 & 63;
  h->named = named ? 1 : 0;
  h->spare = 0;
  h->number = named ? ++g_allocations[owner] : 0;
  h->pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc));
  const Granule g = granule(start);
  __atomic_fetch_or(&chunk->starts[g.word], g.bit, __ATOMIC_RELAXED);
  if (!instrumented() && (chunk->freed[g.word] & g.bit) != 0) __atomic_fetch_and(&chunk->freed[g.word], ~g.bit, __ATOMIC_RELAXED);
  const uint64_t word_bit = uint64_t{1} << (g.word % 64);
  if ((chunk->words[g.word / 64] & word_bit) == 0) __atomic_fetch_or(&chunk->words[g.word / 64], word_bit, __ATOMIC_RELAXED);
  if (((start ^ (start + size)) >> kChunkBits) != 0) set_cover(start, size, start);
  if (detecting()) forget_accesses(start, size);
  return reinterpret_cast<void*>(start);
}

void leave(uintptr_t start) {
  Chunk* chunk = chunk_at(start);
  const Granule g = granule(start);
  const BlockHeader* h = header_of(start);
  __atomic_fetch_and(&chunk->starts[g.word], ~g.bit, __ATOMIC_RELAXED);
  if (((start ^ (start + h->size)) >> kChunkBits) != 0) set_cover(start, h->size, 0);
  __atomic_fetch_add(&g_naming_era, 1, __ATOMIC_RELAXED);
}

void* raw_of(uintptr_t start) { return reinterpret_cast<void*>(start - (uintptr_t{1} << header_of(start)->alignment)); }

void mark_freed(uintptr_t start, size_t size, bool freed) {
  for (uintptr_t at = start & ~uintptr_t{15}; at < start + size;) {
    Chunk* chunk = chunk_at(at);
    const Granule g = granule(at);
    // A whole word at once where the block covers it.
    const bool whole = g.bit == 1 && at + 1024 <= start + size;
    if (chunk != nullptr) {
      const uint64_t bits = whole ? ~uint64_t{0} : g.bit;
      chunk->freed[g.word] = freed ? chunk->freed[g.word] | bits : chunk->freed[g.word] & ~bits;
    }
    at += whole ? 1024 : 16;
  }
}

uintptr_t last_start(const Chunk& chunk, uint32_t word, uint64_t mask, uintptr_t base) {
  for (;;) {
    const uint64_t bits = chunk.starts[word] & mask;
    if (bits != 0) return base + ((uintptr_t{word} * 64 + 63 - static_cast<uint32_t>(__builtin_clzll(bits))) << kGranuleBits);
    if (word == 0) return 0;
    --word;
    mask = ~uint64_t{0};
    // Words that never held a start are passed over 64 at a time.
    const uint64_t used = chunk.words[word / 64] & (~uint64_t{0} >> (63 - word % 64));
    if (used == 0) {
      if (word < 64) return 0;
      word = word / 64 * 64;
      continue;
    }
    word = word / 64 * 64 + 63 - static_cast<uint32_t>(__builtin_clzll(used));
  }
}

// What lay in the memory before depends on what the C library did with it, which is not the same in every process. A write of an instrumented
// program is read back for the trace; one that the compiler left out shows what was there.
void* cleared(void* block, size_t size) {
  constexpr size_t kMost = 4096;
  if (block != nullptr && instrumented()) memset(block, 0, size < kMost ? size : kMost);
  return block;
}

}  // namespace

void start_heap() {
  g_tracking = map_memory();
  // One thread runs at a time: an arena for each would only cost system calls, and pages of its own in every run.
  mallopt(M_ARENA_MAX, 1);
}

Block block_at(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const Chunk* chunk = chunk_at(at);
  if (chunk == nullptr) return {0, nullptr};
  const Granule g = granule(at);
  uintptr_t start = last_start(*chunk, g.word, g.bit | (g.bit - 1), at & ~(kChunkBytes - 1));
  if (start == 0) start = chunk->cover;
  if (start == 0) return {0, nullptr};
  const BlockHeader* h = header_of(start);
  // One past the end belongs to the block: a pointer to it may be formed, and an empty block has nothing else.
  if (at - start > h->size) return {0, nullptr};
  return {start, h};
}

bool is_freed_slow(uintptr_t address, size_t size) {
  for (uintptr_t at = address & ~uintptr_t{15}; at < address + size;) {
    const Chunk* chunk = chunk_at(at);
    const Granule g = granule(at);
    // A whole word at once where the access covers it.
    const bool whole = g.bit == 1 && at + 1024 <= address + size;
    if (chunk != nullptr && (chunk->freed[g.word] & (whole ? ~uint64_t{0} : g.bit)) != 0) return true;
    at += whole ? 1024 : 16;
  }
  return false;
}

void* allocate(size_t size, const void* pc) {
  if (allocates_aside()) {
    if (void* block = aside_allocate(kHeader, size); block != nullptr) return block;
  }
  if (!g_tracking || size > kLargest) return __libc_malloc(size);
  return cleared(enter(__libc_malloc(size + kHeader), size, kGranuleBits, pc), size);
}

void* allocate_zeroed(size_t count, size_t size, const void* pc) {
  size_t bytes;
  if (!g_tracking || __builtin_mul_overflow(count, size, &bytes) || bytes > kLargest) return __libc_calloc(count, size);
  if (allocates_aside()) {
    if (void* block = aside_allocate(kHeader, bytes); block != nullptr) return memset(block, 0, bytes);
  }
  return enter(__libc_calloc(1, bytes + kHeader), bytes, kGranuleBits, pc);
}

void* allocate_aligned(size_t alignment, size_t size, const void* pc) {
  if (!g_tracking || size > kLargest || alignment > (size_t{1} << 40)) return __libc_memalign(alignment, size);
  if (alignment <= 16) return allocate(size, pc);
  uint32_t log2 = 63 - static_cast<uint32_t>(__builtin_clzll(alignment));
  if ((size_t{1} << log2) < alignment) ++log2;  // as memalign does with an odd alignment
  if (allocates_aside()) {
    if (void* block = aside_allocate(size_t{1} << log2, size); block != nullptr) return block;
  }
  return cleared(enter(__libc_memalign(size_t{1} << log2, size + (size_t{1} << log2)), size, log2, pc), size);
}

// The program's part of a free: an operation of its own in instrumented programs, where a use of the block may race with it.
static void before_free(uintptr_t start, const void* pc) {
  if (!active()) return;
  if (g_watched && !instrumented()) {
    take_accesses();
    ring_access(reinterpret_cast<const void*>(start), header_of(start)->size, false);
    // `delete` calls free in the C++ library.
    if (const void* call = own_caller(pc); call != nullptr && is_instrumented_code(call))
      race_access(reinterpret_cast<const void*>(start), header_of(start)->size, Op::kFree, call);
  }
  if (g_code_accesses) call_frees(start, header_of(start)->size);
  if (!instrumented()) return;
  const CallSite* at = call_site(pc, HookKind::kPlain);
  if (at->point) {
    Pending p{};
    p.op = Op::kFree;
    p.size = static_cast<uint32_t>(header_of(start)->size);
    p.address = reinterpret_cast<const void*>(start);
    p.object = object_of(p.address);
    p.site = at->site;
    point(p);
  }
  // Somebody else may have freed it while this thread stood there.
  if (is_freed_slow(start, 1)) report_double_free(reinterpret_cast<const void*>(start), pc);
  if (detecting()) race_access(reinterpret_cast<const void*>(start), header_of(start)->size, Op::kFree, pc);
}

[[noreturn]] static void abort_double_free() {
  constexpr char kText[] = "free(): double free detected\n";
  sys(SYS_write, 2, kText, sizeof kText - 1);
  if (active()) record_outcome(OutcomeKind::kAbort, SIGABRT, "free(): double free detected");
  real().abort();
  __builtin_unreachable();
}

void release(void* block, const void* pc) {
  if (block == nullptr) return;
  if (is_aside(block)) return aside_release(block);
  const auto start = reinterpret_cast<uintptr_t>(block);
  if (!starts_block(start)) {
    // What the C library would find in a block of ours that was freed before is chance: its verdict is given here, always the same.
    if (is_freed_slow(start, 1)) abort_double_free();
    __libc_free(block);
    return;
  }
  if (g_open_store.event != nullptr && active()) settle_store();
  // A block in quarantine is still one of ours.
  if (!instrumented() && is_freed_slow(start, 1)) abort_double_free();
  before_free(start, pc);
  if ((instrumented() || g_code_accesses) && active() && header_of(start)->size <= kQuarantineBlock) {
    mark_freed(start, header_of(start)->size == 0 ? 1 : header_of(start)->size, true);
    enter_quarantine(start, pc);
    return;
  }
  leave(start);
  // Without instrumentation only a second free of the same block is seen, by its first granule.
  if (!instrumented()) mark_freed(start, 1, true);
  __libc_free(raw_of(start));
}

// The oldest block of the quarantine goes back to the C library.
void discard(uintptr_t start) {
  mark_freed(start, header_of(start)->size == 0 ? 1 : header_of(start)->size, false);
  leave(start);
  __libc_free(raw_of(start));
}

static void* move_from_aside(void* block, size_t size, const void* pc) {
  const size_t old = aside_size(block);
  if (size <= old) return block;
  void* fresh = allocate(size, pc);
  if (fresh == nullptr) return nullptr;
  memcpy(fresh, block, old);
  aside_release(block);
  return fresh;
}

void* reallocate(void* block, size_t size, const void* pc) {
  if (block == nullptr) return allocate(size, pc);
  const auto start = reinterpret_cast<uintptr_t>(block);
  const bool aside = is_aside(block);
  if (!aside && !starts_block(start)) return __libc_realloc(block, size);
  if (size == 0) {
    release(block, pc);
    return nullptr;
  }
  if (aside) return move_from_aside(block, size, pc);
  const size_t old = header_of(start)->size;
  if (old >= kMovesInPlace && size >= kMovesInPlace && header_of(start)->alignment == kGranuleBits && size < kLargest) {
    if (g_open_store.event != nullptr && active()) settle_store();
    before_free(start, pc);
    leave(start);
    void* moved = __libc_realloc(raw_of(start), size + kHeader);
    if (moved == nullptr) {  // the old block is still there, under a new number
      enter(raw_of(start), old, kGranuleBits, pc);
      return nullptr;
    }
    return enter(moved, size, kGranuleBits, pc);
  }
  void* fresh = allocate(size, pc);
  if (fresh == nullptr) return nullptr;
  memcpy(fresh, block, old < size ? old : size);
  release(block, pc);
  return fresh;
}

bool block_size(const void* block, size_t* size) {
  if (is_aside(block)) {
    *size = aside_size(block);
    return true;
  }
  const auto start = reinterpret_cast<uintptr_t>(block);
  if (!starts_block(start)) return false;
  *size = header_of(start)->size;
  return true;
}

}  // namespace heddle::rt
