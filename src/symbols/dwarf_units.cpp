#include "symbols/dwarf_units.h"

#include <algorithm>

#include "symbols/dwarf_walk.h"

namespace heddle::symbols {

const LineIndex& DwarfUnit::lines() {
  if (lines_ == nullptr) lines_ = std::make_unique<LineIndex>(&skeleton_);
  return *lines_;
}

ScopeIndex& DwarfUnit::scopes(ModuleElf& module) {
  if (scopes_ == nullptr) scopes_ = std::make_unique<ScopeIndex>(&body_, module);
  return *scopes_;
}

DwarfUnits::DwarfUnits(Dwarf* dwarf, const ModuleElf& module) {
  Dwarf_CU* unit = nullptr;
  Dwarf_CU* next = nullptr;
  Dwarf_Die skeleton{};
  Dwarf_Die split{};
  uint8_t type = 0;
  while (dwarf_get_units(dwarf, unit, &next, nullptr, &type, &skeleton, &split) == 0) {
    unit = next;
    int tag = dwarf_tag(&skeleton);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit && tag != DW_TAG_skeleton_unit) continue;
    bool is_split = split.addr != nullptr && dwarf_tag(&split) == DW_TAG_compile_unit;
    units_.emplace_back(skeleton, is_split ? split : skeleton);
    if (tag != DW_TAG_partial_unit) add_ranges(static_cast<uint32_t>(units_.size() - 1), module);
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin != b.begin ? a.begin < b.begin : a.unit < b.unit; });
}

void DwarfUnits::add_ranges(uint32_t unit, const ModuleElf& module) {
  bool stated = false;
  WalkBudget budget;
  Dwarf_Die die = units_[unit].skeleton();
  for_each_range(&die, budget, [&](uint64_t begin, uint64_t end) {
    stated = true;
    if (module.is_code(begin)) ranges_.push_back({begin, end, unit});
  });
  if (stated) return;
  for (auto [begin, end] : units_[unit].lines().covered()) {
    if (module.is_code(begin)) ranges_.push_back({begin, end, unit});
  }
}

DwarfUnit* DwarfUnits::find(uint64_t address) {
  auto next =
      std::upper_bound(ranges_.begin(), ranges_.end(), address, [](uint64_t value, const Range& range) { return value < range.begin; });
  // Ranges of sound input do not overlap. Where they do, the nearest few are tried.
  for (int steps = 0; next != ranges_.begin() && steps < 4; ++steps) {
    --next;
    if (address < next->end) return &units_[next->unit];
  }
  return nullptr;
}

}  // namespace heddle::symbols
