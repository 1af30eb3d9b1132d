#include "trace/origin_needs.h"

#include <algorithm>

namespace heddle::trace {

namespace {

// The part of a range that lies in the cell of eight bytes at `cell`, a bit for each.
uint8_t bytes_in(uint64_t cell, uint64_t begin, uint64_t end) {
  uint8_t mask = 0;
  for (unsigned b = 0; b < 8; ++b) {
    if (cell * 8 + b >= begin && cell * 8 + b < end) mask = static_cast<uint8_t>(mask | 1U << b);
  }
  return mask;
}

}  // namespace

void Need::note(uint32_t other) {
  if (other == kNoOrigin || other == row) return;
  for (uint32_t& slot : also) {
    if (slot == other) return;
    if (slot != kNoOrigin) continue;
    slot = other;
    return;
  }
}

void Need::join(const Need& other) {
  if (!other.wanted()) return;
  if (!wanted()) {
    *this = other;
    return;
  }
  const uint32_t further = other.distance < distance ? row : other.row;
  if (other.distance < distance) {
    row = other.row;
    distance = other.distance;
    for (uint32_t& slot : also) slot = slot == row ? kNoOrigin : slot;
  }
  note(further);
  for (uint32_t each : other.also) note(each);
}

void NeededMemory::add(uint64_t address, uint64_t size, const Need& need) {
  const uint64_t end = address + size;
  for (uint64_t cell = address / 8; cell * 8 < end; ++cell) {
    Cell& c = cells_[cell];
    c.bytes |= bytes_in(cell, address, end);
    c.need.join(need);
  }
}

Need NeededMemory::take(uint64_t address, uint64_t size, bool keep) {
  Need all;
  const uint64_t end = address + size;
  const auto look = [&](uint64_t cell, Cell& c) {
    const uint8_t mask = bytes_in(cell, address, end);
    if ((c.bytes & mask) == 0) return false;
    all.join(c.need);
    if (!keep) c.bytes = static_cast<uint8_t>(c.bytes & ~mask);
    return c.bytes == 0;
  };
  // A large range has more cells than are wanted.
  if (size / 8 > cells_.size()) {
    for (auto at = cells_.begin(); at != cells_.end();) at = look(at->first, at->second) ? cells_.erase(at) : std::next(at);
    return all;
  }
  for (uint64_t cell = address / 8; cell * 8 < end; ++cell) {
    const auto found = cells_.find(cell);
    if (found != cells_.end() && look(cell, found->second)) cells_.erase(found);
  }
  return all;
}

void NeededRegisters::add(uint32_t place, const Need& need) {
  const size_t begin = (place & ~HEDDLE_FOR_ADDRESS) >> 8, end = std::min<size_t>(begin + (place & 0xFF), kBytes);
  for (size_t b = begin; b < end; ++b) bytes_[b].join(need);
}

Need NeededRegisters::take(uint32_t place, bool keep) {
  Need all;
  const size_t begin = (place & ~HEDDLE_FOR_ADDRESS) >> 8, end = std::min<size_t>(begin + (place & 0xFF), kBytes);
  for (size_t b = begin; b < end; ++b) {
    all.join(bytes_[b]);
    if (!keep) bytes_[b] = {};
  }
  return all;
}

}  // namespace heddle::trace
