// The global and static variables of a module, and its types by name.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/dwarf_types.h"
#include "trace/dwarf_units.h"
#include "trace/dwarf_walk.h"

namespace heddle {

class VariableIndex {
 public:
  // Walks all units. `is_loaded` tells real addresses from those of discarded variables; `symbol_size` gives the size
  // of the ELF object at an address, or 0, for a variable whose type has none.
  VariableIndex(std::vector<DwarfUnit>& units, const std::function<bool(uint64_t)>& is_loaded,
                const std::function<uint64_t(uint64_t)>& symbol_size);
  VariableIndex(const VariableIndex&) = delete;
  VariableIndex& operator=(const VariableIndex&) = delete;

  std::optional<Variable> find(uint64_t address) const;
  std::optional<Variable> member(const std::string& type, uint64_t offset) const;

 private:
  struct Entry {
    uint64_t begin;
    uint64_t end;
    Dwarf_Die die;
    uint32_t context;
  };
  struct Place {
    const std::function<bool(uint64_t)>& is_loaded;
    const std::function<uint64_t(uint64_t)>& symbol_size;
    std::string prefix;  // of type names: "ns::Outer::"
    uint32_t context;
    int depth;
  };

  void walk(Dwarf_Die* die, const Place& place, WalkBudget& budget);
  void add_variable(Dwarf_Die& die, const Place& place);

  DwarfContexts contexts_;
  std::vector<Entry> entries_;                              // sorted by begin, one for each
  std::unordered_map<std::string, Dwarf_Die> definitions_;  // of classes, by qualified name
  std::unordered_map<const void*, std::string> declared_;   // qualified names of class declarations
  TypeResolver resolve_;
};

}  // namespace heddle
