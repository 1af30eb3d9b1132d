// Walking DIE trees that may be corrupt: every walk ends, whatever the sibling references say.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::symbols {

// How many DIEs and address ranges the walk over one unit may still visit. Far more than a compiler ever puts into a
// unit, and still bounded to about a second of work.
class WalkBudget {
 public:
  bool spend() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  size_t left_ = size_t{1} << 24;
};

constexpr int kDeepestDie = 200;

// Calls visit(Dwarf_Die&) for each child. Siblings must lie behind one another, which rules out cycles.
template <class Visit>
void for_each_child(Dwarf_Die* parent, WalkBudget& budget, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  for (;;) {
    if (!budget.spend()) return;
    visit(child);
    Dwarf_Die sibling;
    if (dwarf_siblingof(&child, &sibling) != 0 || sibling.addr <= child.addr) return;
    child = sibling;
  }
}

// Calls visit(begin, end) for each non-empty address range of the DIE.
template <class Visit>
void for_each_range(Dwarf_Die* die, WalkBudget& budget, Visit visit) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
    if (!budget.spend()) return;
    if (begin < end) visit(static_cast<uint64_t>(begin), static_cast<uint64_t>(end));
  }
}

// Attributes of the DIE itself or of what it was made from (abstract origin, specification).
std::optional<uint64_t> unsigned_attribute(Dwarf_Die* die, unsigned name);
const char* string_attribute(Dwarf_Die* die, unsigned name);
std::optional<Dwarf_Die> reference_attribute(Dwarf_Die* die, unsigned name);

// The namespaces, classes and functions around the DIEs of a unit; libdw has no way up from a DIE.
class DwarfContexts {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t add(uint32_t parent, const Dwarf_Die& die);
  void remember(const Dwarf_Die& die, uint32_t context) { of_die_.emplace(die.addr, context); }

  // The DIE's name behind the names of what surrounds it. `context` serves a DIE that was not remembered itself.
  std::string qualified_name(Dwarf_Die die, uint32_t context) const;

 private:
  struct Context {
    uint32_t parent;
    Dwarf_Die die;
  };
  std::string prefix(uint32_t context, bool of_call) const;

  std::vector<Context> contexts_;
  std::unordered_map<const void*, uint32_t> of_die_;
};

// Demangled; empty if the DIE has none.
std::string linkage_name(Dwarf_Die* die);

bool is_scope_tag(int tag);  // a tag that may hold functions, variables or types

// The source file that the attribute (DW_AT_decl_file, DW_AT_call_file) names by its number in the line table of its
// unit; absolute where the unit knows its directory.
std::string file_of_attribute(Dwarf_Attribute* attribute);

// Without "." and ".." where that is possible; relative names are taken to be in the unit's compilation directory.
std::string source_path(Dwarf_Die* unit, const char* name);

}  // namespace heddle::symbols
