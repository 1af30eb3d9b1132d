#include <cstdlib>
#include <memory>

#include "symbols/dwarf_variables.h"

namespace heddle::symbols {

namespace {

// Code without a frame pointer counts from its stack pointer: how far below the call frame address that lies once the frame is made. That
// is where it lies deepest.
std::optional<int64_t> depth_of_frame(Dwarf_Die& function, Elf* elf) {
  Dwarf_CFI* table = elf != nullptr ? dwarf_getcfi_elf(elf) : nullptr;
  Dwarf_Addr begin = 0, end = 0;
  if (table == nullptr || dwarf_lowpc(&function, &begin) != 0 || dwarf_highpc(&function, &end) != 0) return std::nullopt;
  constexpr Dwarf_Addr kMostCode = 1 << 16;
  std::optional<int64_t> deepest;
  for (Dwarf_Addr at = begin; at < end && at < begin + kMostCode;) {
    Dwarf_Frame* frame = nullptr;
    if (dwarf_cfi_addrframe(table, at, &frame) != 0) break;
    const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> owner(frame, &std::free);
    Dwarf_Op* operations = nullptr;
    size_t count = 0;
    Dwarf_Addr last = 0;
    if (dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1) {
      // libdw says a register with an offset as bregx.
      const bool stack_pointer = operations[0].atom == DW_OP_breg7 || (operations[0].atom == DW_OP_bregx && operations[0].number == 7);
      const auto offset = static_cast<int64_t>(operations[0].atom == DW_OP_breg7 ? operations[0].number : operations[0].number2);
      if (stack_pointer && (!deepest || offset > *deepest)) deepest = offset;
    }
    if (dwarf_frame_info(frame, nullptr, &last, nullptr) < 0 || last <= at) break;
    at = last;
  }
  return deepest;
}

// How a function's code finds its variables, counted from its call frame address.
struct FrameBase {
  std::optional<int64_t> base;           // DW_OP_fbreg counts from here
  std::optional<int64_t> stack_pointer;  // once the frame is made
};

FrameBase frame_base(Dwarf_Die& function, Elf* elf) {
  FrameBase frame;
  if (const auto depth = depth_of_frame(function, elf)) frame.stack_pointer = -*depth;
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr || dwarf_getlocation(&attribute, &operations, &count) != 0 ||
      count != 1) {
    return frame;
  }
  if (operations[0].atom == DW_OP_call_frame_cfa) frame.base = 0;
  if (operations[0].atom == DW_OP_reg6) frame.base = -16;  // rbp, behind the return address and the caller's rbp
  if (operations[0].atom == DW_OP_reg7) frame.base = frame.stack_pointer;
  return frame;
}

// Where in the frame the variable lies, if it ever lies there: one that other threads use does all the time.
std::optional<int64_t> place_in_frame(Dwarf_Die& die, const FrameBase& frame) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(&die, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  for (ptrdiff_t at = 0; (at = dwarf_getlocations(&attribute, at, &base, &begin, &end, &operations, &count)) > 0;) {
    if (count != 1) continue;
    const auto offset = static_cast<int64_t>(operations[0].number);
    if (operations[0].atom == DW_OP_fbreg && frame.base) return *frame.base + offset;
    if (operations[0].atom == DW_OP_breg7 && frame.stack_pointer) return *frame.stack_pointer + offset;
  }
  return std::nullopt;
}

bool has_locals(int tag) {
  return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

// Calls visit(Dwarf_Die&) for the variables and parameters of the function, those of blocks and of what was inlined into it as well; with a
// place only for what is in scope there.
template <class Visit>
void for_each_local(Dwarf_Die* scope, WalkBudget& budget, int depth, std::optional<uint64_t> place, const Visit& visit) {
  if (depth > kDeepestDie) return;
  for_each_child(scope, budget, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) visit(child);
    if (has_locals(tag) && (!place || dwarf_haspc(&child, *place) == 1)) for_each_local(&child, budget, depth + 1, place, visit);
  });
}

// The function whose machine code the place is in; libdw's scopes of an inlined place end with the function that was inlined.
std::optional<Dwarf_Die> function_around(Dwarf_Die* scope, uint64_t place, WalkBudget& budget, int depth) {
  std::optional<Dwarf_Die> found;
  if (depth > kDeepestDie) return found;
  for_each_child(scope, budget, [&](Dwarf_Die& child) {
    if (found || !is_scope_tag(dwarf_tag(&child))) return;
    if (dwarf_tag(&child) == DW_TAG_subprogram && dwarf_haspc(&child, place) == 1) {
      found = child;
    } else {
      found = function_around(&child, place, budget, depth + 1);
    }
  });
  return found;
}

}  // namespace

std::optional<Dwarf_Die> VariableIndex::type_of_name(DwarfUnit& unit, uint64_t place, const std::string& name) const {
  Dwarf_Die body = unit.body();
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(&body, place, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  std::optional<Dwarf_Die> found;
  const auto look = [&](Dwarf_Die& die) {
    const char* its = string_attribute(&die, DW_AT_name);
    if (!found && its != nullptr && name == its) found = reference_attribute(&die, DW_AT_type);
  };
  for (int i = 0; i < count && !found; ++i) {
    if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram) continue;
    WalkBudget budget;
    for_each_local(&scopes[i], budget, 0, std::nullopt, look);
  }
  for (size_t i = 0; i < entries_.size() && !found; ++i) {
    Dwarf_Die die = entries_[i].die;
    look(die);
  }
  return found;
}

std::optional<Variable> VariableIndex::behind(DwarfUnit& unit, uint64_t place, const std::string& pointer, uint64_t offset) const {
  const std::optional<Dwarf_Die> type = type_of_name(unit, place, pointer);
  const std::optional<Dwarf_Die> target = type ? pointed_type(*type, *this) : std::nullopt;
  const uint64_t size = target ? type_size(*target, *this).value_or(0) : 0;
  if (size == 0) return std::nullopt;
  Variable variable = member_of_type(*target, offset % size, *this);
  if (offset < size && variable.name.starts_with(".")) {
    variable.name.replace(0, 1, "->");
  } else {
    variable.name.insert(0, "[" + std::to_string(offset / size) + "]");
  }
  return variable;
}

std::optional<Variable> VariableIndex::local_of(Dwarf_Die& function, std::optional<uint64_t> place, uint64_t distance) const {
  const FrameBase frame = frame_base(function, module_.file() != nullptr ? module_.file()->elf() : nullptr);
  std::optional<Variable> found;
  WalkBudget budget;
  for_each_local(&function, budget, 0, place, [&](Dwarf_Die& die) {
    const std::optional<int64_t> at = place_in_frame(die, frame);
    const std::optional<Dwarf_Die> type = reference_attribute(&die, DW_AT_type);
    const char* name = string_attribute(&die, DW_AT_name);
    if (found || !at || !type || name == nullptr) return;
    const int64_t offset = -static_cast<int64_t>(distance) - *at;
    const uint64_t size = type_size(*type, *this).value_or(0);
    if (offset < 0 || static_cast<uint64_t>(offset) >= size) return;
    found = member_of_type(*type, static_cast<uint64_t>(offset), *this);
    found->name = name + found->name;
    Dwarf_Attribute file;
    if (dwarf_attr_integrate(&die, DW_AT_decl_file, &file) != nullptr) found->file = file_of_attribute(&file);
    if (dwarf_decl_line(&die, &found->line) != 0) found->line = 0;
  });
  return found;
}

std::optional<Variable> VariableIndex::local(DwarfUnit& unit, uint64_t function, uint64_t distance) const {
  Dwarf_Die body = unit.body();
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(&body, function, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  std::optional<Variable> found;
  for (int i = 0; i < count && !found; ++i) {
    if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) found = local_of(scopes[i], std::nullopt, distance);
  }
  return found;
}

std::optional<Variable> VariableIndex::local_in_scope(DwarfUnit& unit, uint64_t place, uint64_t distance) const {
  Dwarf_Die body = unit.body();
  WalkBudget budget;
  std::optional<Dwarf_Die> function = function_around(&body, place, budget, 0);
  return function ? local_of(*function, place, distance) : std::nullopt;
}

}  // namespace heddle::symbols
