#pragma once
// What the detector tells of a race: each pair of sites, with the calls that led to them, once a run and kind.
#include "runtime/base/watch.h"
#include "runtime/memory/context_tree.h"
#include "runtime/memory/races.h"
#include "wire/race.h"

namespace heddle::rt {

// Where an access was made: its context, and above that the logarithm of its size.
inline constexpr uint32_t kSizeShift = 28;
inline constexpr uint32_t kOtherSize = 15;
inline uint32_t place_word(ContextId context, size_t size) {
  const bool power = size <= 16 && (size & (size - 1)) == 0;
  return context | (power ? static_cast<uint32_t>(__builtin_ctzll(size | 16)) : kOtherSize) << kSizeShift;
}
inline ContextId context_of(uint32_t place) { return place & ((1u << kSizeShift) - 1); }

struct Access {
  Op op;
  uint8_t flags;
  uint32_t size;
  const void* pc;
  uint32_t thread;
  bool certain = false;  // no possible races with it
};

// An access that a cell remembers, or an extent.
struct Remembered {
  uint32_t head;
  uint32_t pc;
  uint32_t place;
  size_t size = 0;  // 0: as its place says
};

void report(const Remembered& old, const Access& a, ContextId context, const void* address, RaceKind kind);

}  // namespace heddle::rt
