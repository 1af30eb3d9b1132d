#include "symbols/dwarf_walk.h"

#include <cstring>
#include <filesystem>
#include <string_view>

#include "symbols/symbols_names.h"

namespace heddle::symbols {
namespace {

constexpr int kLongestOriginChain = 16;
// Where the ends of the strings are lost, every name would reach to the end of its section.
constexpr size_t kLongestName = size_t{1} << 14;

}  // namespace

std::optional<uint64_t> unsigned_attribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) {
    return std::nullopt;
  }
  return value;
}

const char* string_attribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr) return nullptr;
  const char* text = dwarf_formstring(&attribute);
  return text != nullptr && strnlen(text, kLongestName) < kLongestName ? text : nullptr;
}

std::optional<Dwarf_Die> reference_attribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Die target;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr || dwarf_formref_die(&attribute, &target) == nullptr) {
    return std::nullopt;
  }
  return target;
}

uint32_t DwarfContexts::add(uint32_t parent, const Dwarf_Die& die) {
  contexts_.push_back({parent, die});
  return static_cast<uint32_t>(contexts_.size() - 1);
}

std::string DwarfContexts::prefix(uint32_t context, bool of_call) const {
  std::string text;
  // Parents come before their children in contexts_, so this ends.
  for (uint32_t at = context; at != kNone; at = contexts_[at].parent) {
    Dwarf_Die die = contexts_[at].die;
    std::string linkage = dwarf_tag(&die) == DW_TAG_subprogram ? linkage_name(&die) : "";
    if (!linkage.empty()) return linkage + "::" + text;
    const char* name = string_attribute(&die, DW_AT_name);
    if (name != nullptr && *name != '\0') {
      text = std::string(name) + "::" + text;
    } else if (of_call && at == context) {
      text = "{lambda}::";
    }
    // Other scopes without a name, such as anonymous namespaces, are nothing a reader would look for.
  }
  return text;
}

std::string DwarfContexts::qualified_name(Dwarf_Die die, uint32_t context) const {
  const char* name = string_attribute(&die, DW_AT_name);
  if (name == nullptr || *name == '\0') return {};
  // A definition outside its class, or an inlined copy, stands elsewhere than the declaration that has the name.
  for (int steps = 0; steps < kLongestOriginChain; ++steps) {
    auto known = of_die_.find(die.addr);
    if (known != of_die_.end()) context = known->second;
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == nullptr && dwarf_attr(&die, DW_AT_specification, &attribute) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&attribute, &origin) == nullptr) break;
    die = origin;
  }
  return prefix(context, std::string_view(name).starts_with("operator()")) + name;
}

std::string linkage_name(Dwarf_Die* die) {
  const char* name = string_attribute(die, DW_AT_linkage_name);
  if (name == nullptr) name = string_attribute(die, DW_AT_MIPS_linkage_name);
  return name != nullptr ? demangle(name) : std::string();
}

bool is_scope_tag(int tag) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type: return true;
    default: return false;
  }
}

std::string source_path(Dwarf_Die* unit, const char* name) {
  if (name == nullptr || *name == '\0') return {};
  std::string path(name);
  if (path[0] != '/') {
    // The body of a split unit leaves its directory to the skeleton.
    const char* directory = string_attribute(unit, DW_AT_comp_dir);
    Dwarf_Die skeleton{};
    uint8_t type = 0;
    if (directory == nullptr && dwarf_cu_info(unit->cu, nullptr, &type, nullptr, &skeleton, nullptr, nullptr, nullptr) == 0 &&
        type == DW_UT_split_compile && skeleton.addr != nullptr) {
      directory = string_attribute(&skeleton, DW_AT_comp_dir);
    }
    if (directory != nullptr && *directory == '/') path = std::string(directory) + "/" + path;
  }
  bool is_clean = path.find("/.") == std::string::npos && path.find("//") == std::string::npos && path[0] != '.';
  return is_clean ? path : std::filesystem::path(path).lexically_normal().string();
}

std::string file_of_attribute(Dwarf_Attribute* attribute) {
  Dwarf_Word number = 0;
  Dwarf_Die unit;
  Dwarf_Half version = 0;
  // Not dwarf_decl_file(): that takes number 0 for none, which is the main file in clang's DWARF 5.
  if (dwarf_formudata(attribute, &number) != 0 ||
      dwarf_cu_die(attribute->cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr) {
    return {};
  }
  if (number == 0 && version < 5) return {};
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return {};
  return source_path(&unit, dwarf_filesrc(files, static_cast<size_t>(number), nullptr, nullptr));
}

}  // namespace heddle::symbols
