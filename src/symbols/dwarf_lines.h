// The line table of one compilation unit, flat and sorted.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::symbols {

struct SourcePosition {
  const std::string* file = nullptr;  // owned by the index
  int line = 0;
  int column = 0;
};

class LineIndex {
 public:
  explicit LineIndex(Dwarf_Die* unit);

  // A null file if no row covers the address. Line 0 marks code that belongs to no line of its own.
  SourcePosition find(uint64_t address) const;

  // For such code the position of the nearest row with a line, earlier ones first, that `accept(address)` agrees to.
  SourcePosition find_near(uint64_t address, const std::function<bool(uint64_t)>& accept) const;

  // The addresses covered, for a unit that does not state its own.
  std::vector<std::pair<uint64_t, uint64_t>> covered() const;

 private:
  struct Row {
    uint64_t address;
    uint32_t file;
    int line;
    int column;
    bool is_end;  // of a sequence: covers nothing
  };

  size_t row_of(uint64_t address) const;  // rows_.size() if none covers it

  std::vector<Row> rows_;  // sorted by address; an end precedes the row that starts at the same address
  std::vector<std::string> files_;
};

}  // namespace heddle::symbols
