// The compilation units of one debug file. What a unit holds is indexed when an address of it is first asked for:
// a report touches few units, and a big program has thousands.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "symbols/dwarf_lines.h"
#include "symbols/dwarf_scopes.h"

namespace heddle::symbols {

struct DwarfCloser {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

class DwarfUnit {
 public:
  DwarfUnit(const Dwarf_Die& skeleton, const Dwarf_Die& body) : skeleton_(skeleton), body_(body) {}

  Dwarf_Die body() const { return body_; }
  Dwarf_Die skeleton() const { return skeleton_; }
  const LineIndex& lines();
  ScopeIndex& scopes(ModuleElf& module);

 private:
  Dwarf_Die skeleton_;  // has the line table and the address ranges
  Dwarf_Die body_;      // has the functions; the same as the skeleton, unless the debug information is split
  std::unique_ptr<LineIndex> lines_;
  std::unique_ptr<ScopeIndex> scopes_;
};

class DwarfUnits {
 public:
  DwarfUnits(Dwarf* dwarf, const ModuleElf& module);

  std::vector<DwarfUnit>& all() { return units_; }
  // The unit whose code covers the address, or null.
  DwarfUnit* find(uint64_t address);

 private:
  struct Range {
    uint64_t begin;
    uint64_t end;
    uint32_t unit;
  };
  void add_ranges(uint32_t unit, const ModuleElf& module);

  std::vector<DwarfUnit> units_;
  std::vector<Range> ranges_;  // sorted by begin
};

}  // namespace heddle::symbols
