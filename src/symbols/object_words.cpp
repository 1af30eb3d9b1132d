#include "symbols/object_words.h"

#include <fmt/format.h>

namespace heddle::symbols {

std::string describe_site(const Symbols& symbols, SiteId site) {
  return site == kNoSite ? "?" : symbols.describe(site_module(site), site_offset(site));
}

std::optional<Variable> local_variable(const Symbols& symbols, const ObjectRow& row) {
  if (object_kind(row.id) != ObjectKind::kStack || row.site == kNoSite) return std::nullopt;
  // A row with an offset is from such a run (report/locals.h).
  if (row.offset != 0) return symbols.local_in_scope(site_module(row.site), site_offset(row.site), row.b - row.offset);
  return symbols.local_at(site_module(row.site), site_offset(row.site), row.b - row.offset);
}

std::string object_words(const Symbols& symbols, const ObjectRow& row) {
  switch (object_kind(row.id)) {
    case ObjectKind::kGlobal: {
      const auto variable = symbols.global_at(static_cast<unsigned>(row.a), row.b);
      return variable ? variable->name : fmt::format("a global at offset {:#x}", row.b);
    }
    case ObjectKind::kHeap: {
      const std::string where = row.offset == 0 ? "" : fmt::format(", at offset {}", row.offset);
      return fmt::format("a block of {} bytes allocated at {}{}", row.bytes, describe_site(symbols, row.site), where);
    }
    case ObjectKind::kStack: {
      const auto local = local_variable(symbols, row);
      return local ? local->name : "a variable on the stack";
    }
    case ObjectKind::kDescriptor: return fmt::format("file descriptor {}", row.b);
    case ObjectKind::kThread:
    case ObjectKind::kMapped:
    case ObjectKind::kNone: break;
  }
  return "memory mapped by the program";
}

}  // namespace heddle::symbols
