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
#include "runtime/memory/race_report.h"

namespace heddle::rt {

namespace {

// A freed block larger than this is remembered by its beginning only.
constexpr size_t kFreedExtent = 64 * 1024;

uint32_t g_victim;

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

// May the new access stand for the old one in all later checks? Both as heads; of stamps nothing is said.
bool covers(uint32_t fresh, uint32_t old) {
  return (old & ~fresh & (kCellMask | kCellWrite)) == 0 && ((fresh & kCellAtomic) == 0 || (old & kCellAtomic) != 0);
}

// FastTrack's rules for one remembered access of another epoch to these 8 bytes: is it ordered before the new one? Reports where it is not, and
// they conflict.
bool is_ordered(const Remembered& old, uintptr_t granule, uint32_t head, const Access& a, RaceThread& t) {
  const Stamp& s = g_stamps[old.head >> kStampShift];
  if (s.thread == a.thread) return true;
  const bool ordered = t.now.full.of(s.thread) >= s.clock;
  const bool conflict = ((old.head | head) & kCellWrite) != 0 && (old.head & head & kCellAtomic) == 0;
  if (!conflict) return ordered;
  const auto byte = static_cast<uint32_t>(__builtin_ctz((old.head & head & kCellMask) >> kMaskShift));
  const auto* address = reinterpret_cast<const void*>(granule + byte);
  if (!ordered) {
    report(old, a, t.context, address, RaceKind::kConfirmed);
  } else if (t.now.weak.of(s.thread) < s.clock) {
    if (share_lock(context_of(old.place), t.context)) {
      order_sections(&t, context_of(old.place));
    } else if (!a.certain) {
      report(old, a, t.context, address, RaceKind::kPossible);
    }
  }
  return ordered;
}

// --- Extents: an access to much memory at once (a fill, a copy, a read of a file) is remembered as a whole, as cells for each of its bytes would
// take six times the memory that it touches. Where there are more of them than fit, the oldest is forgotten: that can hide a race, and cannot
// invent one.

struct Extent {
  uintptr_t begin, end;
  Remembered access;
};
constexpr size_t kLeastExtent = 256 * 1024;
constexpr uint32_t kMaxExtents = 64;
HEDDLE_APART Extent g_extents[kMaxExtents];
uint32_t g_extent_count;
uint32_t g_extent_victim;

void compare_extents(uintptr_t granule, uint32_t head, const Access& a, RaceThread& t) {
  for (uint32_t i = 0; i < g_extent_count; ++i) {
    const Extent& e = g_extents[i];
    if (granule < e.begin || granule >= e.end || ((e.access.head ^ head) & kCellStamp) == 0) continue;
    is_ordered(e.access, granule, head, a, t);
  }
}

void remember_extent(const Extent& fresh, const Access& a, RaceThread& t) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g_extent_count; ++i) {
    const Extent& old = g_extents[i];
    const bool overlaps = old.begin < fresh.end && fresh.begin < old.end;
    const bool same_epoch = ((old.access.head ^ fresh.access.head) & kCellStamp) == 0;
    const bool ordered =
        !overlaps || same_epoch || is_ordered(old.access, old.begin > fresh.begin ? old.begin : fresh.begin, fresh.access.head, a, t);
    const bool replaced = ordered && old.begin >= fresh.begin && old.end <= fresh.end &&
                          covers(fresh.access.head & ~kCellStamp, old.access.head & ~kCellStamp);
    if (!replaced) g_extents[kept++] = old;
  }
  g_extent_count = kept;
  if (kept == kMaxExtents) {
    g_extents[g_extent_victim++ % kMaxExtents] = fresh;
  } else {
    g_extents[g_extent_count++] = fresh;
  }
}

void forget_extents(uintptr_t begin, uintptr_t end) {
  for (uint32_t i = 0; i < g_extent_count;) {
    Extent& e = g_extents[i];
    if (begin > e.begin && begin < e.end) {
      // Of what lies on both sides the front is kept.
      e.end = begin;
    } else if (begin <= e.begin && end > e.begin) {
      e.begin = end;
    }
    if (e.begin >= e.end) {
      e = g_extents[--g_extent_count];
    } else {
      ++i;
    }
  }
}

// Calls visit(page) for each page of [begin, end) of which there are cells.
template <typename Visit>
void each_watched_page(uintptr_t begin, uintptr_t end, const Visit& visit) {
  constexpr uintptr_t kPage = uintptr_t{1} << kPageBits;
  for (uintptr_t at = begin & ~(kPage - 1); at < end;) {
    const Chunk* chunk = chunk_at(at);
    if (chunk == nullptr) {
      at = (at | (kChunkBytes - 1)) + 1;
      continue;
    }
    const uintptr_t page = (at & (kChunkBytes - 1)) >> kPageBits;
    if ((chunk->watched[page / 64] >> page % 64 & 1) != 0) visit(at);
    at += kPage;
  }
}

void check_extent(uintptr_t begin, uintptr_t end, uint32_t stamp, const Access& a, RaceThread& t) {
  const uint32_t head = stamp | kCellMask | a.flags;
  each_watched_page(begin, end, [&](uintptr_t page) {
    const uintptr_t stop = end < page + 4096 ? end : page + 4096;
    for (uintptr_t granule = page > begin ? page : begin; granule < stop; granule += 8) {
      const Granule8 g = granule_at(granule);
      for (uint32_t i = 0; i < kCells; ++i) {
        const uint32_t old = g.cells->head[i];
        if (old == 0 || ((old ^ head) & kCellStamp) == 0) continue;
        is_ordered({old, g.cells->pc[i], g.places[i]}, granule, head, a, t);
      }
    }
  });
  const auto pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.pc));
  remember_extent({begin, end, {head, pc, place_word(t.context, a.size), end - begin}}, a, t);
}

// FastTrack's rules on the last accesses of one 8-byte granule.
void check_granule(uintptr_t granule, uint32_t head, const Access& a, RaceThread& t) {
  const Granule8 g = granule_at(granule);
  if (g.cells == nullptr) return;
  if (__builtin_expect(g_extent_count != 0, 0)) compare_extents(granule, head, a, t);
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
      // The same epoch. Another site is worth a cell of its own: a race is reported with both sides.
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
      ordered = is_ordered({old, g.cells->pc[i], g.places[i]}, granule, head, a, t);
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
  const uintptr_t page = (granule & (kChunkBytes - 1)) >> kPageBits;
  chunk_at(granule)->watched[page / 64] |= uint64_t{1} << page % 64;
  g.cells->head[slot] = head;
  g.cells->pc[slot] = pc;
  g.places[slot] = place;
}

void check(const void* address, size_t size, const Access& a) {
  RaceThread& t = race_thread(a.thread);
  if (__builtin_expect((a.flags & kCellWrite) != 0 ? t.ignores_writes : t.ignores_reads, 0)) return;
  const uint32_t stamp = g_watch.stamp = stamp_of(&t, a.thread);
  if (stamp == 0) return;
  auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + size;
  if (size >= kLeastExtent && (a.flags & ~kCellWrite) == 0) {
    // The last few bytes have cells, and so have the first.
    const uintptr_t middle = (begin + 7) & ~uintptr_t{7};
    check_extent(middle, end & ~uintptr_t{7}, stamp, a, t);
    if (middle > begin) check(address, middle - begin, a);
    begin = end & ~uintptr_t{7};
  }
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
  forget_extents(start, end);
  for (uintptr_t at = start & ~uintptr_t{7}; at < end;) {
    const uintptr_t chunk_end = (at | (kChunkBytes - 1)) + 1;
    const uintptr_t stop = end < chunk_end ? end : chunk_end;
    if (Chunk* chunk = chunk_at(at)) {
      ShadowCells* from = cells_of(chunk, at);
      zero_pages(reinterpret_cast<char*>(from), reinterpret_cast<char*>(from + ((stop - at + 7) >> 3)));
      for (uintptr_t page = (at + 4095) >> kPageBits; page < stop >> kPageBits; ++page)
        chunk->watched[page % kChunkPages / 64] &= ~(uint64_t{1} << page % 64);
    }
    at = chunk_end;
  }
}

void forget_all_accesses() {
  g_extent_count = 0;
  for (Chunk* chunk = g_first_chunk; chunk != nullptr; chunk = chunk->next) {
    ShadowCells* from = cells_of(chunk, 0);
    zero_pages(reinterpret_cast<char*>(from), reinterpret_cast<char*>(from + kChunkBytes / 8));
  }
}

}  // namespace heddle::rt
