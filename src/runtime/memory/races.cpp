#include "runtime/memory/races.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/base/watch.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/memory/access_ring.h"
#include "runtime/memory/library_access.h"
#include "runtime/memory/race_clocks.h"

namespace heddle::rt {

namespace {

// A freed block larger than this is remembered by its beginning only.
constexpr size_t kFreedExtent = 64 * 1024;

uint32_t g_victim;

// Where an access was made: its context, and above that the logarithm of its size.
constexpr uint32_t kSizeShift = 28;
constexpr uint32_t kOtherSize = 15;
uint32_t place_word(ContextId context, size_t size) {
  const bool power = size <= 16 && (size & (size - 1)) == 0;
  return context | (power ? static_cast<uint32_t>(__builtin_ctzll(size | 16)) : kOtherSize) << kSizeShift;
}
ContextId context_of(uint32_t place) { return place & ((1u << kSizeShift) - 1); }

struct Granule8 {
  ShadowCells* cells;
  uint32_t* places;
};

Granule8 granule_at(uintptr_t address) {
  Chunk* chunk = chunk_at(address);
  if (__builtin_expect(chunk == nullptr, 0)) chunk = make_chunk(address);
  if (chunk == nullptr) return {nullptr, nullptr};
  auto* places = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(chunk) + kPlacesAt);
  return {cells_of(chunk, address), places + ((address & (kChunkBytes - 1)) >> 3) * kCells};
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

Op op_of(uint32_t flags) {
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
  bool certain = false;  // no possible races with it
};

void fill_side(RaceSide* side, uint32_t thread, Op op, size_t size, SiteId site, ContextId context) {
  side->thread = thread;
  side->op = op;
  side->size = static_cast<uint16_t>(size < 65535 ? size : 65535);
  side->site = site;
  describe(context, side);
}

// An access that a cell remembers.
struct Remembered {
  uint32_t head;
  uint32_t pc;
  uint32_t place;
  uint32_t thread;
};

struct Range {
  uintptr_t begin, end;
};
constexpr uint32_t kMaxBenign = 1024;
HEDDLE_APART Range g_benign[kMaxBenign];
uint32_t g_benign_count;

bool is_benign(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (uint32_t i = 0; i < g_benign_count; ++i) {
    if (at >= g_benign[i].begin && at < g_benign[i].end) return true;
  }
  return false;
}

__attribute__((noinline)) void report(const Remembered& old, const Access& a, ContextId context, const void* address, RaceKind kind) {
  // What a library of the system keeps for itself it protects by means that are not seen.
  if (g_watched && is_in_module(address) && !is_instrumented_code(address) && descriptor_behind(address) < 0) return;
  if (is_benign(address)) return;
  const auto pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.pc));
  const uint64_t key = pair_key(place(old.pc, context_of(old.place)), place(pc, context), kind);
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
  const int descriptor = descriptor_behind(address);
  row.object = descriptor >= 0 ? name_descriptor(descriptor) : object_of(address);
  const uint32_t log2 = old.place >> kSizeShift;
  const size_t size = log2 != kOtherSize ? size_t{1} << log2 : static_cast<size_t>(__builtin_popcount(old.head & kCellMask));
  fill_side(&row.first, old.thread, op_of(old.head), size, site_of_low(old.pc - 1), context_of(old.place));
  fill_side(&row.second, a.thread, a.op, a.size, caller_site(a.pc), context);
  g_reported[at] = {key, ++g_run.header->race_count};
}

// May the new access stand for the old one in all later checks? Both as heads; of stamps nothing is said.
bool covers(uint32_t fresh, uint32_t old) {
  return (old & ~fresh & (kCellMask | kCellWrite)) == 0 && ((fresh & kCellAtomic) == 0 || (old & kCellAtomic) != 0);
}

// FastTrack's rules on the last accesses of one 8-byte granule.
void check_granule(uintptr_t granule, uint32_t head, const Access& a, RaceThread& t) {
  const Granule8 g = granule_at(granule);
  if (g.cells == nullptr) return;
  const auto pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.pc));
  const uint32_t place = place_word(t.context, a.size);
  constexpr uint32_t kNone = kCells;
  uint32_t slot = kNone;
  bool known = false;  // to the same epoch, by another site
  for (uint32_t i = 0; i < kCells; ++i) {
    const uint32_t old = g.cells->head[i];
    if (old == 0) {
      if (slot == kNone) slot = i;
      continue;
    }
    bool ordered = true;
    if (((old ^ head) & kCellStamp) == 0) {
      // The same epoch. Another site is worth a cell of its own: a race is told with both sides.
      const bool covered = covers(old, head) && ((old | a.flags) & kCellFree) == 0;
      known = known || covered;
      if (g.cells->pc[i] != pc) continue;
      if (covered) return;
      // The same loop at the next bytes.
      if (((old ^ head) & kCellFlags) == 0 && context_of(g.places[i]) == t.context) {
        g.cells->head[i] = old | head;
        return;
      }
    } else {
      if ((old & head & kCellMask) == 0) continue;
      const Stamp& s = g_stamps[old >> kStampShift];
      if (s.thread != a.thread) {
        ordered = t.now.full.of(s.thread) >= s.clock;
        const bool conflict = ((old | head) & kCellWrite) != 0 && (old & head & kCellAtomic) == 0;
        if (conflict) {
          const auto byte = static_cast<uint32_t>(__builtin_ctz((old & head & kCellMask) >> kMaskShift));
          const auto* address = reinterpret_cast<const void*>(granule + byte);
          const Remembered r{old, g.cells->pc[i], g.places[i], s.thread};
          if (!ordered) {
            report(r, a, t.context, address, RaceKind::kConfirmed);
          } else if (t.now.weak.of(s.thread) < s.clock) {
            if (share_lock(context_of(r.place), t.context)) {
              order_sections(&t, context_of(r.place));
            } else if (!a.certain) {
              report(r, a, t.context, address, RaceKind::kPossible);
            }
          }
        }
      }
    }
    if (ordered && covers(head, old)) {
      if (slot == kNone || g.cells->head[slot] == 0) {
        slot = i;
      } else {
        g.cells->head[i] = 0;
      }
    }
  }
  // What is freed is nobody's any more: whoever comes now has to be looked at.
  if ((a.flags & kCellFree) != 0) memset(g.cells->head, 0, sizeof g.cells->head);
  if (slot == kNone) {
    if (known) return;
    slot = g_victim++ % kCells;
  }
  g.cells->head[slot] = head;
  g.cells->pc[slot] = pc;
  g.places[slot] = place;
}

void check(const void* address, size_t size, const Access& a) {
  RaceThread& t = race_thread(a.thread);
  if (__builtin_expect((a.flags & kCellWrite) != 0 ? t.ignores_writes : t.ignores_reads, 0)) return;
  const uint32_t stamp = g_watch.stamp = stamp_of(&t, a.thread);
  if (stamp == 0) return;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + size;
  for (uintptr_t granule = begin & ~uintptr_t{7}; granule < end; granule += 8) {
    uint32_t mask = 0xFF;
    if (granule < begin) mask &= 0xFFu << (begin - granule);
    if (granule + 8 > end) mask &= 0xFFu >> (granule + 8 - end);
    const uint32_t head = stamp | mask << kMaskShift | a.flags;
    if ((a.flags & ~kCellWrite) == 0) {
      const Granule8 g = granule_at(granule);
      if (g.cells == nullptr || is_known(g.cells, head, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.pc)))) continue;
    }
    check_granule(granule, head, a, t);
  }
}

}  // namespace

void install_races(bool wanted) {
  g_detecting = wanted && map_memory();
  begin_ring();
}

void race_access(const void* address, size_t size, Op op, const void* pc) {
  uint8_t flags = has(op, kWrites) ? kCellWrite : 0;
  if (op == Op::kFree) {
    flags |= kCellFree;
    if (size > kFreedExtent) {
      forget_accesses(reinterpret_cast<uintptr_t>(address) + kFreedExtent, size - kFreedExtent);
      size = kFreedExtent;
    }
  }
  check(address, size, {op, flags, static_cast<uint32_t>(size), pc, g_current->index});
}

void race_sync_access(const void* address, bool writes, const void* pc) {
  Access a{writes ? Op::kStore : Op::kAtomicLoad, static_cast<uint8_t>(writes ? kCellWrite : kCellAtomic), 1, pc, g_current->index};
  a.certain = true;
  check(address, 1, a);
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

void race_is_benign(const void* address, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  if (g_benign_count < kMaxBenign) g_benign[g_benign_count++] = {begin, begin + size};
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
  const uint32_t count = thread->held.count < kMaxHeld ? thread->held.count : kMaxHeld;
  for (uint32_t i = 0; i < count; ++i) locks[i] = object_of(thread->held.locks[i].address);
  t.context = with_locks(t.context, locks, count);
}

namespace {

// Whole pages are given back: cheaper than zeroing them, and most were never touched.
void zero_pages(char* from, char* to) {
  char* first_page = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(from) + 4095) & ~uintptr_t{4095});
  char* last_page = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(to) & ~uintptr_t{4095});
  if (last_page - first_page <= 64 * 1024) {
    memset(from, 0, static_cast<size_t>(to - from));
    return;
  }
  sys(SYS_madvise, first_page, last_page - first_page, MADV_DONTNEED);
  memset(from, 0, static_cast<size_t>(first_page - from));
  memset(last_page, 0, static_cast<size_t>(to - last_page));
}

}  // namespace

void forget_accesses(uintptr_t start, size_t size) {
  take_accesses();
  ring_forget(start, size);
  const uintptr_t end = start + size;
  for (uintptr_t at = start & ~uintptr_t{7}; at < end;) {
    const uintptr_t chunk_end = (at | (kChunkBytes - 1)) + 1;
    const uintptr_t stop = end < chunk_end ? end : chunk_end;
    if (Chunk* chunk = chunk_at(at)) {
      ShadowCells* from = cells_of(chunk, at);
      zero_pages(reinterpret_cast<char*>(from), reinterpret_cast<char*>(from + ((stop - at + 7) >> 3)));
    }
    at = chunk_end;
  }
}

void forget_all_accesses() {
  for (Chunk* chunk = g_first_chunk; chunk != nullptr; chunk = chunk->next) {
    ShadowCells* from = cells_of(chunk, 0);
    zero_pages(reinterpret_cast<char*>(from), reinterpret_cast<char*>(from + kChunkBytes / 8));
  }
}

}  // namespace heddle::rt
