#include "runtime/memory/access_ring.h"

#include <dlfcn.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/valgrind.h"
#include "runtime/engine/due.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/memory/call_sites.h"
#include "runtime/memory/hooks.h"
#include "runtime/memory/races.h"
#include "wire/access_ring.h"
#include "wire/atomic_sites.h"

namespace heddle::rt {

namespace {

HeddleRing* g_ring;

constexpr uintptr_t tool_request(HeddleRequest request) { return uintptr_t{'H'} << 24 | uintptr_t{'D'} << 16 | request; }

// What the program's own code and libraries call of the C library to access memory.
struct MemoryFunction {
  const char* name;
  HeddleMemoryFunction kind;
};
constexpr MemoryFunction kMemoryFunctions[] = {
    {"memcpy", kHeddleCopies},
    {"memmove", kHeddleCopies},
    {"__memcpy_chk", kHeddleCopies},
    {"__memmove_chk", kHeddleCopies},
    {"mempcpy", kHeddleCopies},
    {"memset", kHeddleFills},
    {"__memset_chk", kHeddleFills},
    {"bzero", kHeddleFills},
    {"memcmp", kHeddleCompares},
    {"bcmp", kHeddleCompares},
    {"memchr", kHeddleSearches},
    {"strlen", kHeddleReadsText},
    {"strnlen", kHeddleReadsTextUpTo},
    {"strcmp", kHeddleReadsTexts},
    {"strncmp", kHeddleReadsTextsTo},
    {"strcpy", kHeddleCopiesText},
    {"stpcpy", kHeddleCopiesText},
    {"__strcpy_chk", kHeddleCopiesText},
    {"strncpy", kHeddleCopiesTextTo},
    {"strcat", kHeddleAppendsText},
    {"__strcat_chk", kHeddleAppendsText},
    {"strdup", kHeddleReadsText},
    {"__strncpy_chk", kHeddleCopiesTextTo},
};

// --- Words that locked instructions have touched: every access to them is atomic, in the source, too.

uint64_t* atomic_bits(uintptr_t address, bool make) {
  Chunk* chunk = chunk_at(address);
  if (chunk == nullptr && make) chunk = make_chunk(address);
  if (chunk == nullptr) return nullptr;
  return reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(chunk) + kAtomicsAt);
}

bool is_atomic_word(uintptr_t address) {
  const uintptr_t index = (address & (kChunkBytes - 1)) >> 2;
  const uint64_t* bits = atomic_bits(address, false);
  return bits != nullptr && (bits[index / 64] >> (index % 64) & 1) != 0;
}

// --- Sites that the plan calls atomic.

struct KnownSite {
  uint64_t pc;
  bool atomic;
};
constexpr uint32_t kKnownSites = 4096;
KnownSite g_known_sites[kKnownSites];

bool is_listed_atomic(uint64_t pc) {
  KnownSite& known = g_known_sites[pc % kKnownSites];
  if (known.pc != pc) known = {pc, plan_lists(atomic_site(site_of(reinterpret_cast<const void*>(pc))))};
  return known.atomic;
}

// --- Instructions that accessed atomic words, for the tool: it may want points there.

constexpr uint32_t kListedSites = 8192;
HEDDLE_APART uint64_t g_listed_sites[kListedSites];
uint32_t g_listed_count;

void list_atomic(uint64_t pc) {
  uint32_t at = static_cast<uint32_t>(pc * 0x9E3779B97F4A7C15ull >> 51);
  for (; g_listed_sites[at] != pc; at = (at + 1) % kListedSites) {
    if (g_listed_sites[at] != 0) continue;
    if (g_listed_count == kListedSites / 2) return;
    ++g_listed_count;
    g_listed_sites[at] = pc;
    list_site(site_of(reinterpret_cast<const void*>(pc)));
    return;
  }
}

// --- Who accessed a word in the ordinary way before a locked instruction touched it: those accesses are atomic in the source, too. What
// falls on one place last is remembered.

struct PlainWord {
  uintptr_t word;
  uint64_t pcs[3];
};
constexpr uint32_t kPlainWords = 16384;
HEDDLE_APART PlainWord g_plain_words[kPlainWords];

PlainWord& plain_word(uintptr_t word) { return g_plain_words[word * 0x9E3779B97F4A7C15ull >> 50]; }

void note_plain(uintptr_t word, uint64_t pc) {
  PlainWord& known = plain_word(word);
  if (known.word != word) known = {word, {}};
  for (uint64_t& other : known.pcs) {
    if (other == 0) other = pc;
    if (other == pc) return;
  }
}

void forget_plain(uintptr_t start, size_t size) {
  if (size / 4 > kPlainWords) {
    for (PlainWord& known : g_plain_words) {
      if (known.word - start < size) known = {};
    }
    return;
  }
  for (uintptr_t at = start & ~uintptr_t{3}; at < start + size; at += 4) {
    if (plain_word(at).word == at) plain_word(at) = {};
  }
}

void mark_atomic(uintptr_t address, size_t size) {
  for (uintptr_t at = address & ~uintptr_t{3}; at < address + size; at += 4) {
    const uintptr_t index = (at & (kChunkBytes - 1)) >> 2;
    const uint64_t bit = uint64_t{1} << (index % 64);
    uint64_t* bits = atomic_bits(at, true);
    if (bits == nullptr || (bits[index / 64] & bit) != 0) continue;
    bits[index / 64] |= bit;
    if (plain_word(at).word != at) continue;
    for (uint64_t pc : plain_word(at).pcs) {
      if (pc != 0) list_atomic(pc);
    }
  }
}

void take_atomic(const HeddleAccess& r, Op op, bool failed) {
  if (op != Op::kFence) list_atomic(r.pc);
  if ((g_run.plan.header->detect & kAtomicsOrderNothing) != 0) return;
  race_atomic({op, failed, r.size, __ATOMIC_SEQ_CST, reinterpret_cast<const void*>(r.address), 0, reinterpret_cast<const void*>(r.pc + 1),
               nullptr});
}

void take_plain(const HeddleAccess& r, Op op) {
  if (r.size <= 8 && (is_atomic_word(r.address) || is_listed_atomic(r.pc))) {
    take_atomic(r, op == Op::kLoad ? Op::kAtomicLoad : op == Op::kStore ? Op::kAtomicStore : Op::kAtomicRmw, false);
  } else {
    if (r.size <= 8) note_plain(r.address & ~uintptr_t{3}, r.pc);
    race_access(reinterpret_cast<const void*>(r.address), r.size, op, reinterpret_cast<const void*>(r.pc + 1));
  }
}

void take(const HeddleAccess& r) {
  switch (static_cast<HeddleAccessKind>(r.kind)) {
    case kHeddleRead: take_plain(r, Op::kLoad); return;
    case kHeddleWrite: take_plain(r, Op::kStore); return;
    case kHeddleUpdate: take_plain(r, Op::kLoadStore); return;
    case kHeddleAtomic:
      mark_atomic(r.address, r.size);
      take_atomic(r, Op::kAtomicRmw, false);
      return;
    case kHeddleAtomicFailed:
      mark_atomic(r.address, r.size);
      take_atomic(r, Op::kAtomicCas, true);
      return;
    case kHeddleFence: take_atomic(r, Op::kFence, false); return;
    case kHeddleEnter: race_enter(reinterpret_cast<const void*>(r.pc), reinterpret_cast<const void*>(r.address)); return;
    case kHeddleLeave:
      for (uint32_t i = 0; i < r.size; ++i) race_leave();
      return;
  }
}

}  // namespace

void ask_for_ring() {
  if ((g_run.plan.header->detect & kDetectRaces) == 0 || !under_valgrind()) return;
  g_ring = reinterpret_cast<HeddleRing*>(valgrind_request(tool_request(kHeddleAsk), kHeddleRingVersion));
  g_watched = g_ring != nullptr;
  if (!g_watched) return;
  for (const MemoryFunction& f : kMemoryFunctions) {
    if (void* entry = dlsym(RTLD_NEXT, f.name); entry != nullptr)
      valgrind_request(tool_request(kHeddleFunction), reinterpret_cast<uintptr_t>(entry), f.kind);
  }
}

void begin_ring() {
  if (!g_watched) return;
  g_ring->count = 0;
  valgrind_request(tool_request(kHeddleBegin));
  for (uint32_t i = 0; i < g_run.plan.header->site_count; ++i) {
    const SiteId site = g_run.plan.sites[i];
    if (is_atomic_site(site))
      valgrind_request(tool_request(kHeddleAtomicSite), reinterpret_cast<uintptr_t>(address_of(without_atomic_bit(site))));
  }
}

void ring_access(const void* address, size_t size, bool writes) {
  if (g_watched) valgrind_request(tool_request(kHeddleTouch), reinterpret_cast<uintptr_t>(address), size, writes ? 1 : 0);
}

const void* own_caller(const void* pc) {
  if (!g_watched || is_instrumented_code(pc)) return pc;
  const uintptr_t call = valgrind_request(tool_request(kHeddleCaller), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  return call != 0 ? reinterpret_cast<const void*>(call + 1) : nullptr;
}

void ring_copy(uintptr_t begin, uintptr_t end, uintptr_t original) {
  if (g_watched) valgrind_request(tool_request(kHeddleCopy), begin, end, original);
}

void ring_guard(const void* address) {
  if (g_watched) mark_atomic(reinterpret_cast<uintptr_t>(address), 1);
}

void ring_event(const ThreadSlot& thread) {
  if (!g_watched) return;
  if (g_ring->thread != thread.index) g_ring->private_region = UINT64_MAX;
  g_ring->thread = thread.index;
  ++g_ring->interval;
  g_ring->on = g_run.claimed ? 1 : 0;
}

void take_accesses() {
  if (!g_watched || g_ring->count == 0) return;
  const uint64_t count = g_ring->count;
  for (uint64_t i = 0; i < count; ++i) take(g_ring->records[i]);
  g_ring->count = 0;
  if (g_ring->foreign != 0) {
    g_ring->foreign = 0;
    note(kNoSite, "code that the program makes at run time was executed: its accesses are not watched");
  }
  if (__builtin_expect(g_ring->lost == 0, 1)) return;
  g_ring->lost = 0;
  note(kNoSite, "more accesses between two scheduling points than there is room for: the rest of them was not watched");
}

void ring_forget(uintptr_t start, size_t size) {
  if (!g_watched) return;
  valgrind_request(tool_request(kHeddleForget), start, size);
  forget_plain(start, size);
  for (uintptr_t at = start & ~uintptr_t{3}; at < start + size;) {
    uint64_t* bits = atomic_bits(at, false);
    const uintptr_t chunk_end = (at | (kChunkBytes - 1)) + 1;
    const uintptr_t end = start + size < chunk_end ? start + size : chunk_end;
    for (; bits != nullptr && at < end; at += 4) {
      const uintptr_t index = (at & (kChunkBytes - 1)) >> 2;
      if (index % 64 == 0 && end - at >= 256) {
        bits[index / 64] = 0;
        at += 252;
      } else {
        bits[index / 64] &= ~(uint64_t{1} << (index % 64));
      }
    }
    at = end;
  }
}

}  // namespace heddle::rt
