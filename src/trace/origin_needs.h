#pragma once
// What a backward walk still looks for: bytes of memory, registers of threads, temporaries of a block.
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/origins.h"

namespace heddle::trace {

// Who needs it: the nearest to what was asked for, and some others, so that each of them can be shown where its value came from.
struct Need {
  uint32_t row = kNoOrigin;
  uint32_t distance = UINT32_MAX;
  std::array<uint32_t, 3> also = {kNoOrigin, kNoOrigin, kNoOrigin};

  bool wanted() const { return distance != UINT32_MAX; }
  void join(const Need& other);

 private:
  void note(uint32_t other);
};

class NeededMemory {
 public:
  void add(uint64_t address, uint64_t size, const Need& need);
  // What was wanted of these bytes; they are not any more, unless `keep`.
  Need take(uint64_t address, uint64_t size, bool keep);
  size_t cells() const { return cells_.size(); }

 private:
  struct Cell {
    uint8_t bytes = 0;
    Need need;
  };
  std::unordered_map<uint64_t, Cell> cells_;  // by address / 8
};

// The registers of a thread, byte by byte.
class NeededRegisters {
 public:
  void add(uint32_t place, const Need& need);
  Need take(uint32_t place, bool keep);

 private:
  static constexpr size_t kBytes = 2048;
  std::vector<Need> bytes_ = std::vector<Need>(kBytes);
};

}  // namespace heddle::trace
