#pragma once
// What every announced plain access looks at first. Most accesses repeat one that the detector already knows of: that is found out here,
// without a call.
#include <emmintrin.h>
#include <stdint.h>

#include "runtime/base/memory_map.h"

namespace heddle::rt {

// The last accesses to 8 bytes of memory, each as an epoch (FastTrack 3.1): a stamp stands for a thread and its clock. Head 0: empty.
inline constexpr uint32_t kCells = 4;
struct alignas(32) ShadowCells {
  uint32_t head[kCells];  // flags, mask, stamp
  uint32_t pc[kCells];    // low half of the hook's return address
};
enum CellFlag : uint8_t { kCellWrite = 1, kCellAtomic = 2, kCellFree = 4 };
inline constexpr uint32_t kCellFlags = 7;
inline constexpr uint32_t kMaskShift = 3;
inline constexpr uint32_t kCellMask = 0xFFu << kMaskShift;  // bytes of the 8
inline constexpr uint32_t kStampShift = 11;
inline constexpr uint32_t kStampLimit = 1u << (32 - kStampShift);
inline constexpr uint32_t kCellStamp = ~uint32_t{0} << kStampShift;

// Reads that are no points belong to a loop that waits if a point stands in the same loop, or if so many of them came without a store that
// hardly anything but a wait is left. It costs a millisecond, once: the site is a point from then on.
inline constexpr uint32_t kPatience = 100'000;

// Of the thread that runs, in one cache line.
struct alignas(64) Watch {
  uint32_t stamp;  // as in a cell's head; 0: not known here
  uint32_t loads;  // since the last store that was seen
  uint32_t limit;  // so many loads are not looked at; 0: the thread has begun a round of reads that may be a loop that waits
};
extern Watch g_watch;

// Sites that are known to be no points, and to be listed where that is wanted: the detector alone is interested in their accesses.
inline constexpr uint32_t kSettled = 1 << 16;
extern uintptr_t g_settled[kSettled];
inline uintptr_t& settled_slot(uintptr_t pc) { return g_settled[pc % kSettled]; }
inline bool is_settled(const void* pc) { return settled_slot(reinterpret_cast<uintptr_t>(pc)) == reinterpret_cast<uintptr_t>(pc); }

inline ShadowCells* cells_of(Chunk* chunk, uintptr_t address) {
  static_assert(sizeof(ShadowCells) == 8 * 4);
  return reinterpret_cast<ShadowCells*>(reinterpret_cast<char*>(chunk) + kShadowAt + (address & (kChunkBytes - 8)) * 4);
}

// Is there nothing to be learnt from this access? Either its site has made it in this epoch already, or the cells are full of this
// epoch's accesses and one of them stands for it in all later checks.
inline __attribute__((always_inline)) bool is_known(const ShadowCells* cells, uint32_t head, uint32_t pc) {
  const __m128i heads = _mm_load_si128(reinterpret_cast<const __m128i*>(cells->head));
  const __m128i pcs = _mm_load_si128(reinterpret_cast<const __m128i*>(cells->pc));
  const __m128i zero = _mm_setzero_si128();
  const auto all = [](uint32_t word) { return _mm_set1_epi32(static_cast<int>(word)); };
  const __m128i differs = _mm_xor_si128(heads, all(head));
  const __m128i lacks = _mm_andnot_si128(heads, all(head & (kCellMask | kCellWrite)));
  const __m128i stands = _mm_cmpeq_epi32(_mm_or_si128(_mm_and_si128(differs, all(kCellStamp | kCellAtomic | kCellFree)), lacks), zero);
  const __m128i own = _mm_cmpeq_epi32(_mm_and_si128(differs, all(kCellStamp)), zero);
  // One question at the end: which of the two it is differs from access to access, and a branch on it would be guessed wrong.
  const int full = _mm_movemask_epi8(own) == 0xFFFF ? 0xFFFF : 0;
  return ((_mm_movemask_epi8(stands) & full) | _mm_movemask_epi8(_mm_and_si128(stands, _mm_cmpeq_epi32(pcs, all(pc))))) != 0;
}

// A plain access of `size` bytes that changes nothing but the count of loads. False: nothing has been done.
inline __attribute__((always_inline)) bool pass_by(const void* address, uint32_t size, bool write, const void* pc) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const uint32_t mask = ((1u << size) - 1) << (at & 7);
  if (mask > 0xFF) return false;
  if (write ? g_watch.limit == 0 : g_watch.loads >= g_watch.limit) return false;
  // An address that is none finds some chunk: the access itself will tell.
  Chunk* chunk = g_chunks[(at >> kChunkBits) % (uintptr_t{1} << (kAddressBits - kChunkBits))];
  if (chunk == nullptr || !is_settled(pc)) return false;
  const uint32_t head = g_watch.stamp | mask << kMaskShift | (write ? uint32_t{kCellWrite} : 0);
  if (!is_known(cells_of(chunk, at), head, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc)))) return false;
  g_watch.loads = write ? 0 : g_watch.loads + 1;
  return true;
}

}  // namespace heddle::rt
