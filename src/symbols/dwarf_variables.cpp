#include "symbols/dwarf_variables.h"

#include <algorithm>
#include <cstring>

#include "symbols/symbols_names.h"

namespace heddle::symbols {
namespace {

// Nobody asks for a longer name, and a corrupt file has only such.
constexpr size_t kLongestClassName = 4096;

bool is_class(int tag) { return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type; }

// The fixed address a variable lives at; nothing for registers, stack slots, constants and thread-local storage.
std::optional<uint64_t> fixed_address(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_attr(&die, DW_AT_location, &attribute) == nullptr || dwarf_getlocation(&attribute, &operations, &count) != 0 || count == 0) {
    return std::nullopt;
  }
  uint64_t address = 0;
  if (operations[0].atom == DW_OP_addr) {
    address = operations[0].number;
  } else if (operations[0].atom == DW_OP_addrx || operations[0].atom == DW_OP_GNU_addr_index) {
    Dwarf_Attribute indexed;
    Dwarf_Addr value = 0;
    if (dwarf_getlocation_attr(&attribute, &operations[0], &indexed) != 0 || dwarf_formaddr(&indexed, &value) != 0) {
      return std::nullopt;
    }
    address = value;
  } else {
    return std::nullopt;
  }
  if (count == 1) return address;
  if (count == 2 && operations[1].atom == DW_OP_plus_uconst) return address + operations[1].number;
  return std::nullopt;
}

}  // namespace

VariableIndex::VariableIndex(std::vector<DwarfUnit>& units, ModuleElf& module) : module_(module) {
  for (DwarfUnit& unit : units) {
    Dwarf_Die body = unit.body();
    WalkBudget budget;
    walk(&body, Place{}, budget);
  }
  // Sizes need the definitions of all units, so they come last.
  for (Entry& entry : entries_) {
    std::optional<Dwarf_Die> type = reference_attribute(&entry.die, DW_AT_type);
    uint64_t size = type.has_value() ? type_size(*type, *this).value_or(0) : 0;
    if (size == 0) {
      std::optional<ElfSymbol> symbol = module_.object(entry.begin);
      if (symbol.has_value() && symbol->value == entry.begin) size = symbol->size;
    }
    entry.end = size <= UINT64_MAX - entry.begin ? entry.begin + size : entry.begin;
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.begin == entry.end; });
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  // An inline variable is described by every unit that uses it.
  auto same = [](const Entry& a, const Entry& b) { return a.begin == b.begin; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
}

void VariableIndex::walk(Dwarf_Die* die, const Place& place, WalkBudget& budget) {
  if (place.depth > kDeepestDie) return;
  for_each_child(die, budget, [&](Dwarf_Die& child) {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable) {
      add_variable(child, place);
      return;
    }
    // Inlined copies share the static variables of the function they were made from.
    if (!is_scope_tag(tag) || tag == DW_TAG_inlined_subroutine || dwarf_haschildren(&child) < 0) return;
    Place inner = place;
    ++inner.depth;
    const char* name = string_attribute(&child, DW_AT_name);
    // Functions as well: their local classes may share a name.
    bool is_named =
        name != nullptr && *name != '\0' && tag != DW_TAG_lexical_block && place.prefix.size() + std::strlen(name) < kLongestClassName;
    if (is_named) {
      std::string qualified = place.prefix + name;
      if (is_class(tag)) add_class(child, qualified);
      inner.prefix = qualified + "::";
    }
    if (dwarf_haschildren(&child) == 0) return;
    if (tag != DW_TAG_lexical_block && tag != DW_TAG_try_block && tag != DW_TAG_catch_block) {
      inner.context = contexts_.add(place.context, child);
    }
    walk(&child, inner, budget);
  });
}

void VariableIndex::add_class(Dwarf_Die& die, const std::string& qualified) {
  class_names_.emplace(die.addr, qualified);
  if (dwarf_hasattr(&die, DW_AT_declaration) == 0) definitions_.emplace(qualified, die);
}

std::optional<Dwarf_Die> VariableIndex::definition(const Dwarf_Die& declaration) const {
  auto name = class_names_.find(declaration.addr);
  if (name == class_names_.end()) return std::nullopt;
  auto known = definitions_.find(name->second);
  if (known == definitions_.end()) return std::nullopt;
  return known->second;
}

std::string VariableIndex::qualified_name(const Dwarf_Die& type) const {
  auto name = class_names_.find(type.addr);
  return name != class_names_.end() ? name->second : std::string();
}

void VariableIndex::add_variable(Dwarf_Die& die, const Place& place) {
  contexts_.remember(die, place.context);
  std::optional<uint64_t> address = fixed_address(die);
  if (!address.has_value() || *address == 0 || !module_.is_loaded(*address)) return;
  entries_.push_back({*address, *address, die, place.context});
}

std::string VariableIndex::name_of(const Entry& entry) const {
  Dwarf_Die die = entry.die;
  std::string name = linkage_name(&die);
  // Compilers leave out the linkage names of function-local variables.
  if (name.empty()) name = cxx_name(module_.object(entry.begin), entry.begin).value_or("");
  if (name.empty()) name = contexts_.qualified_name(die, entry.context);
  return pretty_function(name);
}

std::optional<Symbols::NamedPlace> VariableIndex::named(const std::string& name) const {
  constexpr uint64_t kMostBytes = 1 << 20;
  const std::string variable = name.substr(0, name.find_first_of(".["));
  for (const Entry& entry : entries_) {
    const std::string full = name_of(entry);
    const size_t scope = full.rfind("::");
    const bool same = full == variable || (scope != std::string::npos && full.compare(scope + 2, std::string::npos, variable) == 0);
    if (!same || full.empty()) continue;
    if (name == variable) return Symbols::NamedPlace{entry.begin, entry.end - entry.begin};
    const std::string wanted = full + name.substr(variable.size());
    for (uint64_t at = entry.begin; at < entry.end && at < entry.begin + kMostBytes; ++at) {
      const auto found = find(at);
      if (found && found->name == wanted) return Symbols::NamedPlace{at, found->size > 0 ? found->size : 1};
    }
  }
  return std::nullopt;
}

std::optional<Variable> VariableIndex::find(uint64_t address) const {
  auto next =
      std::upper_bound(entries_.begin(), entries_.end(), address, [](uint64_t value, const Entry& entry) { return value < entry.begin; });
  if (next == entries_.begin()) return std::nullopt;
  const Entry& entry = *--next;
  if (address >= entry.end) return std::nullopt;
  Dwarf_Die die = entry.die;
  Variable variable;
  if (auto type = reference_attribute(&die, DW_AT_type)) {
    variable = member_of_type(*type, address - entry.begin, *this);
  }
  const std::string name = name_of(entry);
  if (name.empty()) return std::nullopt;
  variable.name = name + variable.name;
  Dwarf_Attribute file;
  if (dwarf_attr_integrate(&die, DW_AT_decl_file, &file) != nullptr) variable.file = file_of_attribute(&file);
  if (dwarf_decl_line(&die, &variable.line) != 0) variable.line = 0;
  return variable;
}

std::optional<Variable> VariableIndex::member(const std::string& type, uint64_t offset) const {
  auto known = definitions_.find(type);
  if (known == definitions_.end()) return std::nullopt;
  Dwarf_Die die = known->second;
  std::optional<uint64_t> size = type_size(die, *this);
  if (size.has_value() && *size != 0 && offset >= *size) return std::nullopt;
  Variable variable = member_of_type(die, offset, *this);
  if (variable.name.starts_with(".")) variable.name.erase(0, 1);
  return variable;
}

}  // namespace heddle::symbols
