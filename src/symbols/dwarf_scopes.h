// Which function, and which inlined copies inside it, an address of one compilation unit belongs to.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "symbols/dwarf_walk.h"
#include "symbols/symbols_elf.h"

namespace heddle::symbols {

struct ScopeFrame {
  std::string function;  // demangled; may be empty
  bool inlined = false;
  // Where the function was inlined, in the next outer one.
  std::string call_file;
  int call_line = 0;
  int call_column = 0;
};

class ScopeIndex {
 public:
  // `module` tells real addresses from those of discarded functions, and the names that the unit does not.
  ScopeIndex(Dwarf_Die* unit, ModuleElf& module);

  static constexpr uint32_t kNone = UINT32_MAX;

  // Tells one inlined copy from another; kNone outside of functions.
  uint32_t innermost(uint64_t address) const;

  // Innermost first; the last one is the function that has the machine code. Empty if no function covers the address.
  // The frames belong to the index.
  std::vector<const ScopeFrame*> find(uint64_t address);

 private:
  struct Scope {
    Dwarf_Die die;
    uint64_t entry;    // address of the function's start, where its ELF symbol is
    uint32_t parent;   // kNone for a function of its own
    uint32_t context;  // in contexts_
    bool inlined;
    std::unique_ptr<ScopeFrame> frame;  // made when first asked for
  };
  struct Interval {
    uint64_t begin;
    uint64_t end;
    uint32_t scope;
    int depth;
  };
  // From `begin` to the next segment the innermost scope is `scope`.
  struct Segment {
    uint64_t begin;
    uint32_t scope;
  };

  void walk(Dwarf_Die* die, uint32_t scope, uint32_t context, int depth);
  void flatten();
  const ScopeFrame* describe(Scope& scope);

  ModuleElf& module_;
  DwarfContexts contexts_;
  std::vector<Scope> scopes_;
  std::vector<Segment> segments_;  // sorted by begin

  // Only while building.
  WalkBudget budget_;
  std::vector<Interval> intervals_;
};

}  // namespace heddle::symbols
