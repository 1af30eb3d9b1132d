#include "symbols/dwarf_types.h"

#include <dwarf.h>

#include <string_view>
#include <vector>

#include "symbols/dwarf_walk.h"
#include "symbols/symbols_names.h"

namespace heddle::symbols {
namespace {

constexpr int kDeepestType = 64;

bool is_qualifier(int tag) {
  return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

bool is_record(int tag) { return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type; }

// Without typedefs and qualifiers, and defined if a definition can be found.
std::optional<Dwarf_Die> plain_type(Dwarf_Die type, const TypeWorld& world) {
  for (int steps = 0; steps < kDeepestType; ++steps) {
    int tag = dwarf_tag(&type);
    if (is_record(tag) && dwarf_hasattr(&type, DW_AT_declaration) != 0) {
      // The definition may stand in a type unit of its own (-fdebug-types-section), or in another unit.
      std::optional<Dwarf_Die> definition = reference_attribute(&type, DW_AT_signature);
      if (!definition.has_value()) definition = world.definition(type);
      return definition.has_value() ? definition : type;
    }
    if (tag != DW_TAG_typedef && !is_qualifier(tag)) return type;
    std::optional<Dwarf_Die> next = reference_attribute(&type, DW_AT_type);
    if (!next.has_value()) return std::nullopt;
    type = *next;
  }
  return std::nullopt;
}

// The lengths of the dimensions, outermost first; 0 for one that is not known.
std::vector<uint64_t> array_lengths(Dwarf_Die array) {
  std::vector<uint64_t> lengths;
  WalkBudget budget;
  for_each_child(&array, budget, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) return;
    if (auto count = unsigned_attribute(&child, DW_AT_count)) {
      lengths.push_back(*count);
      return;
    }
    auto last = unsigned_attribute(&child, DW_AT_upper_bound);
    auto first = unsigned_attribute(&child, DW_AT_lower_bound);
    // An array without elements has -1 as its upper bound.
    lengths.push_back(last.has_value() && *last < UINT64_MAX / 2 ? *last - first.value_or(0) + 1 : 0);
  });
  return lengths;
}

std::optional<uint64_t> size_within(Dwarf_Die type, const TypeWorld& world, int depth) {
  if (depth > kDeepestType) return std::nullopt;
  std::optional<Dwarf_Die> plain = plain_type(type, world);
  if (!plain.has_value()) return std::nullopt;
  if (auto size = unsigned_attribute(&*plain, DW_AT_byte_size)) return size;
  switch (dwarf_tag(&*plain)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type: return sizeof(void*);
    case DW_TAG_array_type: {
      std::optional<Dwarf_Die> element = reference_attribute(&*plain, DW_AT_type);
      if (!element.has_value()) return std::nullopt;
      std::optional<uint64_t> size = size_within(*element, world, depth + 1);
      std::vector<uint64_t> lengths = array_lengths(*plain);
      if (!size.has_value() || lengths.empty()) return std::nullopt;
      for (uint64_t length : lengths) {
        if (__builtin_mul_overflow(*size, length, &*size)) return std::nullopt;
      }
      return size;
    }
    default: return std::nullopt;
  }
}

std::string name_within(Dwarf_Die type, const TypeWorld& world, int depth) {
  if (depth > kDeepestType) return {};
  auto inner = [&](const char* when_none) {
    std::optional<Dwarf_Die> next = reference_attribute(&type, DW_AT_type);
    return next.has_value() ? name_within(*next, world, depth + 1) : std::string(when_none);
  };
  switch (dwarf_tag(&type)) {
    case DW_TAG_pointer_type: return inner("void") + "*";
    case DW_TAG_reference_type: return inner("void") + "&";
    case DW_TAG_rvalue_reference_type: return inner("void") + "&&";
    case DW_TAG_const_type: return "const " + inner("void");
    case DW_TAG_volatile_type: return "volatile " + inner("void");
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type: return inner("void");
    case DW_TAG_array_type: {
      std::string text = inner("");
      for (uint64_t length : array_lengths(type)) {
        text += length != 0 ? "[" + std::to_string(length) + "]" : "[]";
      }
      return text;
    }
    case DW_TAG_subroutine_type: return inner("void") + "()";
    default: {
      std::string qualified = world.qualified_name(type);
      if (!qualified.empty()) return shorten_std(qualified);
      const char* name = string_attribute(&type, DW_AT_name);
      if (name == nullptr) return {};
      // std::atomic<int> calls its int __int_type.
      if (dwarf_tag(&type) == DW_TAG_typedef && std::string_view(name).starts_with("__")) return inner(name);
      return shorten_std(name);
    }
  }
}

Encoding encoding_of(Dwarf_Die plain) {
  switch (dwarf_tag(&plain)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type: return Encoding::kPointer;
    case DW_TAG_enumeration_type: return Encoding::kEnumeration;
    case DW_TAG_base_type: break;
    default: return Encoding::kUnknown;
  }
  switch (unsigned_attribute(&plain, DW_AT_encoding).value_or(0)) {
    case DW_ATE_boolean: return Encoding::kBoolean;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF: return Encoding::kCharacter;
    case DW_ATE_signed: return Encoding::kSigned;
    case DW_ATE_unsigned: return Encoding::kUnsigned;
    case DW_ATE_float: return Encoding::kFloating;
    default: return Encoding::kUnknown;
  }
}

// The offset of a member or base class in its class; nothing for static members and virtual bases.
std::optional<uint64_t> offset_in_record(Dwarf_Die member) {
  if (dwarf_hasattr(&member, DW_AT_external) != 0 || dwarf_hasattr(&member, DW_AT_const_value) != 0) return {};
  if (auto bits = unsigned_attribute(&member, DW_AT_data_bit_offset)) return *bits / 8;
  if (dwarf_hasattr(&member, DW_AT_data_member_location) == 0) return 0;  // of a union
  return unsigned_attribute(&member, DW_AT_data_member_location);
}

struct Member {
  Dwarf_Die die;
  Dwarf_Die type;
  uint64_t offset;
  bool is_base;
};

// The member that covers the offset: of a union the first, else the last that starts no later.
std::optional<Member> find_member(Dwarf_Die record, uint64_t offset, const TypeWorld& world) {
  std::optional<Member> found;
  WalkBudget budget;
  for_each_child(&record, budget, [&](Dwarf_Die& child) {
    int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return;
    std::optional<uint64_t> start = offset_in_record(child);
    std::optional<Dwarf_Die> type = reference_attribute(&child, DW_AT_type);
    if (!start.has_value() || !type.has_value() || *start > offset) return;
    std::optional<uint64_t> size = type_size(*type, world);
    if (size.has_value() && offset - *start >= *size && *size != 0) return;
    // An empty base or [[no_unique_address]] member has size 1 and may share its place with a real one.
    bool is_better = !found.has_value() || *start > found->offset ||
                     (*start == found->offset && type_size(found->type, world).value_or(0) < size.value_or(0));
    if (dwarf_tag(&record) == DW_TAG_union_type && found.has_value()) is_better = false;
    if (is_better) found = Member{child, *type, *start, tag == DW_TAG_inheritance};
  });
  return found;
}

class Descent {
 public:
  Descent(uint64_t offset, const TypeWorld& world) : offset_(offset), world_(world) {}

  Variable run(Dwarf_Die type) {
    accept(type);
    for (int depth = 0; depth < kDeepestType; ++depth) {
      std::optional<Dwarf_Die> plain = plain_type(type, world_);
      if (!plain.has_value()) break;
      std::optional<Dwarf_Die> next;
      int tag = dwarf_tag(&*plain);
      if (is_record(tag)) next = step_into_record(*plain);
      if (tag == DW_TAG_array_type) next = step_into_array(*plain);
      if (!next.has_value()) break;
      type = *next;
      // What a library wraps without a name of its own is still the variable: std::atomic<int> holds an int.
      if (shown_ || is_value(type)) accept(type);
    }
    return std::move(result_);
  }

 private:
  bool is_value(Dwarf_Die type) const {
    std::optional<Dwarf_Die> plain = plain_type(type, world_);
    return plain.has_value() && wrapper_ && encoding_of(*plain) != Encoding::kUnknown;
  }

  void accept(Dwarf_Die type) {
    result_.type = type_name(type, world_);
    result_.size = type_size(type, world_).value_or(0);
    std::optional<Dwarf_Die> plain = plain_type(type, world_);
    result_.encoding = plain.has_value() ? encoding_of(*plain) : Encoding::kUnknown;
  }

  std::optional<Dwarf_Die> step_into_record(Dwarf_Die record) {
    std::optional<Member> member = find_member(record, offset_, world_);
    if (!member.has_value()) return std::nullopt;
    offset_ -= member->offset;
    const char* text = member->is_base ? nullptr : string_attribute(&member->die, DW_AT_name);
    std::string_view name = text != nullptr ? text : "";
    shown_ = false;
    wrapper_ = false;
    if (name.empty()) return member->type;
    if (name.starts_with("_vptr")) name = "vptr";
    if (name.starts_with("_M_") || (name.starts_with("__") && name.ends_with("_"))) {
      // libstdc++ or libc++: what lies deeper may be the program's again.
      elements_ = name == "_M_elems" || name == "__elems_";
      const char* owner = string_attribute(&record, DW_AT_name);
      wrapper_ = owner != nullptr && std::string_view(owner).find("atomic") != std::string_view::npos;
      hidden_ = true;
      return member->type;
    }
    if (name.starts_with("__")) return std::nullopt;
    result_.name += "." + std::string(name);
    hidden_ = false;
    shown_ = true;
    return member->type;
  }

  std::optional<Dwarf_Die> step_into_array(Dwarf_Die array) {
    if (hidden_ && !elements_) return std::nullopt;
    std::optional<Dwarf_Die> element = reference_attribute(&array, DW_AT_type);
    if (!element.has_value()) return std::nullopt;
    std::optional<uint64_t> stride = type_size(*element, world_);
    std::vector<uint64_t> lengths = array_lengths(array);
    if (!stride.has_value() || *stride == 0 || lengths.empty()) return std::nullopt;
    // Row by row: the stride of a dimension is the size of all dimensions inside it.
    std::vector<uint64_t> strides(lengths.size(), *stride);
    for (size_t i = lengths.size() - 1; i > 0; --i) {
      if (__builtin_mul_overflow(strides[i], lengths[i], &strides[i - 1]) || strides[i - 1] == 0) return std::nullopt;
    }
    if (lengths[0] != 0 && offset_ / strides[0] >= lengths[0]) return std::nullopt;
    for (uint64_t each : strides) {
      result_.name += "[" + std::to_string(offset_ / each) + "]";
      offset_ %= each;
    }
    hidden_ = false;
    elements_ = false;
    shown_ = true;
    return element;
  }

  uint64_t offset_;
  const TypeWorld& world_;
  Variable result_;
  bool shown_ = false;     // the last step added to the name
  bool hidden_ = false;    // inside a member that a library reserves
  bool elements_ = false;  // and that one is std::array's
  bool wrapper_ = false;   // or std::atomic's
};

}  // namespace

std::string type_name(Dwarf_Die type, const TypeWorld& world) { return name_within(type, world, 0); }

std::optional<Dwarf_Die> pointed_type(Dwarf_Die type, const TypeWorld& world) {
  std::optional<Dwarf_Die> plain = plain_type(type, world);
  if (!plain || dwarf_tag(&*plain) != DW_TAG_pointer_type) return std::nullopt;
  const std::optional<Dwarf_Die> target = reference_attribute(&*plain, DW_AT_type);
  plain = target ? plain_type(*target, world) : std::nullopt;
  return plain && dwarf_tag(&*plain) != DW_TAG_subroutine_type ? target : std::nullopt;
}

std::optional<uint64_t> type_size(Dwarf_Die type, const TypeWorld& world) { return size_within(type, world, 0); }

Variable member_of_type(Dwarf_Die type, uint64_t offset, const TypeWorld& world) { return Descent(offset, world).run(type); }

}  // namespace heddle::symbols
