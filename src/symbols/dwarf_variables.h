// The global and static variables of a module, and its types by name.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf_types.h"
#include "symbols/dwarf_units.h"
#include "symbols/dwarf_walk.h"
#include "symbols/symbols_elf.h"

namespace heddle::symbols {

class VariableIndex : private TypeWorld {
 public:
  // Walks all units. `module` tells real addresses from those of discarded variables, and what the units do not.
  VariableIndex(std::vector<DwarfUnit>& units, ModuleElf& module);

  std::optional<Variable> find(uint64_t address) const;
  // The way back: where the variable or the member of that name lies.
  std::optional<Symbols::NamedPlace> named(const std::string& name) const;
  std::optional<Variable> member(const std::string& type, uint64_t offset) const;
  // The local variable or parameter of the function at `function` that lies `distance` bytes below the beginning of its frame.
  std::optional<Variable> local(DwarfUnit& unit, uint64_t function, uint64_t distance) const;
  // The same, of the function whose code `place` is in, and in scope there.
  std::optional<Variable> local_in_scope(DwarfUnit& unit, uint64_t place, uint64_t distance) const;
  // What lies `offset` bytes behind a pointer, by the name that the code at `place` has for the pointer: "->next", "[3].next", "[2]".
  std::optional<Variable> behind(DwarfUnit& unit, uint64_t place, const std::string& pointer, uint64_t offset) const;

 private:
  struct Entry {
    uint64_t begin;
    uint64_t end;
    Dwarf_Die die;
    uint32_t context;
  };
  struct Place {
    std::string prefix;  // of type names: "ns::Outer::"
    uint32_t context = DwarfContexts::kNone;
    int depth = 0;
  };

  std::string name_of(const Entry& entry) const;
  void walk(Dwarf_Die* die, const Place& place, WalkBudget& budget);
  void add_class(Dwarf_Die& die, const std::string& qualified);
  void add_variable(Dwarf_Die& die, const Place& place);
  std::optional<Variable> local_of(Dwarf_Die& function, std::optional<uint64_t> place, uint64_t distance) const;
  std::optional<Dwarf_Die> type_of_name(DwarfUnit& unit, uint64_t place, const std::string& name) const;
  std::optional<Dwarf_Die> definition(const Dwarf_Die& declaration) const override;
  std::string qualified_name(const Dwarf_Die& type) const override;

  ModuleElf& module_;
  DwarfContexts contexts_;
  std::vector<Entry> entries_;                                // sorted by begin, one for each
  std::unordered_map<std::string, Dwarf_Die> definitions_;    // of classes, by qualified name
  std::unordered_map<const void*, std::string> class_names_;  // by DIE; declarations as well
};

}  // namespace heddle::symbols
