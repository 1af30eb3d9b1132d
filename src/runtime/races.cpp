#include "runtime/races.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/memory_map.h"
#include "runtime/names.h"
#include "runtime/placement.h"
#include "runtime/race_clocks.h"
#include "runtime/run.h"
#include "runtime/sys.h"

namespace heddle::rt {

bool g_detecting;

enum CellFlag : uint8_t { kCellWrite = 1, kCellAtomic = 2, kCellFree = 4 };

// One access, as an epoch (FastTrack 3.1): thread and that thread's clock. clock 0: empty.
struct ShadowCell {
  uint32_t clock;
  uint16_t thread;
  uint8_t mask;  // bytes of the 8
  uint8_t flags;
  uint32_t pc;  // low half of the hook's return address
  ContextId context;
};
static_assert(sizeof(ShadowCell) == 16);

namespace {

constexpr uint32_t kCells = 4;
constexpr uintptr_t kShadowScale = kCells * sizeof(ShadowCell) / 8;
// A freed block larger than this is remembered by its beginning only.
constexpr size_t kFreedExtent = 64 * 1024;

uint32_t g_victim;

ShadowCell* cells_at(uintptr_t address) {
  Chunk* chunk = chunk_at(address);
  if (__builtin_expect(chunk == nullptr || chunk->shadow == nullptr, 0)) {
    chunk = make_chunk(address);
    if (chunk == nullptr) return nullptr;
    if (chunk->shadow == nullptr) chunk->shadow = static_cast<ShadowCell*>(map_zeroed(kChunkBytes * kShadowScale));
    if (chunk->shadow == nullptr) return nullptr;
  }
  return chunk->shadow + ((address & (kChunkBytes - 1)) >> 3) * kCells;
}

// --- Reports: each pair of sites, with the calls that led to them, once a run and kind.

struct Reported {
  uint64_t key;
  uint32_t row;  // + 1
};
constexpr uint32_t kReportTable = 1 << 14;
HEDDLE_APART Reported g_reported[kReportTable];

uint64_t pair_key(uint64_t a, uint64_t b, RaceKind kind) { return mix(a < b ? mix(a, b) : mix(b, a), static_cast<uint64_t>(kind) + 1) | 1; }
uint64_t place(uint32_t pc, ContextId context) { return (uint64_t{pc} << 32) | call_of(context); }

Op op_of(uint8_t flags) {
  if ((flags & kCellFree) != 0) return Op::kFree;
  if ((flags & kCellAtomic) != 0) return (flags & kCellWrite) != 0 ? Op::kAtomicStore : Op::kAtomicLoad;
  return (flags & kCellWrite) != 0 ? Op::kStore : Op::kLoad;
}

struct Access {
  Op op;
  uint8_t flags;
  uint32_t size;
  const void* pc;
  uint32_t thread;
};

void fill_side(RaceSide* side, uint32_t thread, Op op, size_t size, SiteId site, ContextId context) {
  side->thread = thread;
  side->op = op;
  side->size = static_cast<uint16_t>(size < 65535 ? size : 65535);
  side->site = site;
  describe(context, side);
}

__attribute__((noinline)) void report(const ShadowCell& cell, const Access& a, ContextId context, const void* address, RaceKind kind) {
  const auto pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.pc));
  const uint64_t key = pair_key(place(cell.pc, cell.context), place(pc, context), kind);
  uint32_t at = static_cast<uint32_t>(key >> 32) % kReportTable;
  auto* rows = reinterpret_cast<RaceRow*>(g_run.slot + g_run.layout.races);
  for (; g_reported[at].key != 0; at = (at + 1) % kReportTable) {
    if (g_reported[at].key != key) continue;
    ++rows[g_reported[at].row - 1].count;
    return;
  }
  if (g_run.header->race_count >= kMaxRaces) return;
  RaceRow& row = rows[g_run.header->race_count];
  memset(&row, 0, sizeof row);
  row.kind = kind;
  row.count = 1;
  row.object = object_of(address);
  fill_side(&row.first, cell.thread, op_of(cell.flags), static_cast<size_t>(__builtin_popcount(cell.mask)), site_of_low(cell.pc - 1),
            cell.context);
  fill_side(&row.second, a.thread, a.op, a.size, caller_site(a.pc), context);
  g_reported[at] = {key, ++g_run.header->race_count};
}

// May the new access stand for the old one in all later checks?
bool stands_for(uint8_t fresh, uint8_t old) {
  return ((fresh & kCellWrite) != 0 || (old & kCellWrite) == 0) && ((fresh & kCellAtomic) == 0 || (old & kCellAtomic) != 0);
}

// FastTrack's rules on the last accesses of one 8-byte granule.
void check_granule(uintptr_t granule, uint8_t mask, const Access& a, const RaceThread& t) {
  ShadowCell* cells = cells_at(granule);
  if (cells == nullptr) return;
  const ShadowCell fresh{t.epoch,  static_cast<uint16_t>(a.thread), mask, a.flags, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.pc)),
                         t.context};
  ShadowCell* slot = nullptr;
  for (uint32_t i = 0; i < kCells; ++i) {
    ShadowCell& cell = cells[i];
    if (cell.clock == 0) {
      if (slot == nullptr) slot = &cell;
      continue;
    }
    if ((cell.mask & mask) == 0) continue;
    bool ordered = true;
    if (cell.thread == a.thread) {
      // The same epoch already knows of this access. Another site is worth a cell of its own: a race is told with both sides.
      if (cell.clock == t.epoch) {
        if (cell.pc == fresh.pc && (cell.mask & mask) == mask && stands_for(cell.flags, a.flags)) return;
        if (cell.pc != fresh.pc) continue;
      }
    } else {
      ordered = t.now.full.of(cell.thread) >= cell.clock;
      const bool conflict = ((cell.flags | a.flags) & kCellWrite) != 0 && (cell.flags & a.flags & kCellAtomic) == 0;
      if (conflict) {
        const auto* address = reinterpret_cast<const void*>(granule + static_cast<uint32_t>(__builtin_ctz(cell.mask & mask)));
        if (!ordered) {
          report(cell, a, t.context, address, RaceKind::kConfirmed);
        } else if (t.now.weak.of(cell.thread) < cell.clock && !share_lock(cell.context, t.context)) {
          report(cell, a, t.context, address, RaceKind::kPossible);
        }
      }
    }
    if (ordered && (mask & cell.mask) == cell.mask && stands_for(a.flags, cell.flags)) {
      if (slot == nullptr || slot->clock == 0) {
        slot = &cell;
      } else {
        cell.clock = 0;
      }
    }
  }
  if (slot == nullptr) slot = &cells[g_victim++ % kCells];
  *slot = fresh;
}

void check(const void* address, size_t size, const Access& a) {
  const RaceThread& t = race_thread(a.thread);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + size;
  for (uintptr_t granule = begin & ~uintptr_t{7}; granule < end; granule += 8) {
    uint32_t mask = 0xFF;
    if (granule < begin) mask &= 0xFFu << (begin - granule);
    if (granule + 8 > end) mask &= 0xFFu >> (granule + 8 - end);
    check_granule(granule, static_cast<uint8_t>(mask), a, t);
  }
}

}  // namespace

void install_races(bool wanted) { g_detecting = wanted && map_memory(); }

static_assert(offsetof(ShadowCell, thread) == 4 && offsetof(ShadowCell, mask) == 6 && offsetof(ShadowCell, flags) == 7 &&
              offsetof(ShadowCell, pc) == 8 && offsetof(ShadowCell, context) == 12);
constexpr uint64_t kHeadThread = uint64_t{0xFFFF} << 32;
constexpr uint64_t kHeadMask = uint64_t{0xFF} << 48;
constexpr uint64_t kHeadFlags = uint64_t{0xFF} << 56;

static uint64_t head_of(const ShadowCell& cell) {
  uint64_t word;
  memcpy(&word, &cell, sizeof word);
  return word;
}

// FastTrack's rules where nobody but this thread is among the last accesses: there is nothing to compare, only to remember.
bool race_quick(const void* address, size_t size, Op op, const void* pc) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const uintptr_t first = at & 7;
  const Chunk* chunk = chunk_at(at);
  if (first + size > 8 || chunk == nullptr || chunk->shadow == nullptr) return false;
  const uintptr_t granule = (at & (kChunkBytes - 1)) >> kGranuleBits;
  if ((chunk->freed[granule / 64] >> (granule % 64) & 1) != 0) return false;
  const uint32_t thread = g_current->index;
  const RaceThread& t = race_thread(thread);
  // A cell as its two words, in registers: put together from narrow stores it could not be read at once.
  const uint64_t who = static_cast<uint64_t>(thread & 0xFFFF) << 32;
  const uint64_t mask = static_cast<uint64_t>(((1u << size) - 1) << first) << 48;
  const uint64_t flags = static_cast<uint64_t>(op == Op::kLoad ? 0 : kCellWrite) << 56;
  const uint64_t head = t.epoch | who | mask | flags;
  const auto low = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc));
  ShadowCell* cells = chunk->shadow + ((at & (kChunkBytes - 1)) >> 3) * kCells;
  ShadowCell* slot = nullptr;
  for (uint32_t i = 0; i < kCells; ++i) {
    const uint64_t there = head_of(cells[i]);
    const bool same_site = cells[i].pc == low;
    if (there == head && same_site) return true;
    if (static_cast<uint32_t>(there) == 0) {
      slot = &cells[i];
      continue;
    }
    if (((there ^ who) & kHeadThread) != 0) return false;
    // An older access that this one may stand for: of the same place, or from before the last release; of no other bytes; no write, or this
    // is one, too; and nothing atomic or freed.
    const bool older = same_site || static_cast<uint32_t>(there) != t.epoch;
    if (older && (there & kHeadMask & ~mask) == 0 && (there & kHeadFlags & ~flags) == 0) slot = &cells[i];
  }
  if (slot == nullptr) slot = &cells[g_victim++ % kCells];
  const uint64_t tail = low | static_cast<uint64_t>(t.context) << 32;
  memcpy(slot, &head, sizeof head);
  memcpy(reinterpret_cast<char*>(slot) + sizeof head, &tail, sizeof tail);
  return true;
}

void race_access(const void* address, size_t size, Op op, const void* pc) {
  uint8_t flags = has(op, kWrites) ? kCellWrite : 0;
  if (op == Op::kFree) {
    flags |= kCellFree;
    if (size > kFreedExtent) size = kFreedExtent;
  }
  check(address, size, {op, flags, static_cast<uint32_t>(size), pc, g_current->index});
}

void race_atomic(const AtomicDone& done) {
  atomic_acquires(done);
  if (done.op != Op::kFence) {
    const bool writes = has(done.op, kWrites) && !done.failed;
    const auto flags = static_cast<uint8_t>(kCellAtomic | (writes ? kCellWrite : 0));
    check(done.address, done.size, {done.op, flags, done.size, done.pc, g_current->index});
  }
  atomic_releases(done);
}

void race_enter(const void* call_site, const void* stack_pointer) {
  RaceThread& t = race_thread(g_current->index);
  t.context =
      enter_call(t.context, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(call_site)), reinterpret_cast<uintptr_t>(stack_pointer));
}

void race_leave() {
  RaceThread& t = race_thread(g_current->index);
  t.context = leave_call(t.context);
}

void race_locks(ThreadSlot* thread) {
  RaceThread& t = race_thread(thread->index);
  ObjectId locks[kMaxHeld];
  const uint32_t count = thread->held_count < kMaxHeld ? thread->held_count : kMaxHeld;
  for (uint32_t i = 0; i < count; ++i) locks[i] = object_of(thread->held[i].address);
  t.context = with_locks(t.context, locks, count);
}

void forget_accesses(uintptr_t start, size_t size) {
  const uintptr_t end = start + size;
  for (uintptr_t at = start & ~uintptr_t{7}; at < end;) {
    const uintptr_t chunk_end = (at | (kChunkBytes - 1)) + 1;
    const uintptr_t stop = end < chunk_end ? end : chunk_end;
    const Chunk* chunk = chunk_at(at);
    if (chunk != nullptr && chunk->shadow != nullptr) {
      char* from = reinterpret_cast<char*>(chunk->shadow + ((at & (kChunkBytes - 1)) >> 3) * kCells);
      char* to = from + ((stop - at + 7) >> 3) * kCells * sizeof(ShadowCell);
      // Whole pages are given back: cheaper than zeroing them, and most were never touched.
      char* first_page = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(from) + 4095) & ~uintptr_t{4095});
      char* last_page = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(to) & ~uintptr_t{4095});
      if (last_page - first_page > 64 * 1024) {
        sys(SYS_madvise, first_page, last_page - first_page, MADV_DONTNEED);
        memset(from, 0, static_cast<size_t>(first_page - from));
        memset(last_page, 0, static_cast<size_t>(to - last_page));
      } else {
        memset(from, 0, static_cast<size_t>(to - from));
      }
    }
    at = chunk_end;
  }
}

}  // namespace heddle::rt
