// What DWARF knows about types: names, sizes, and which member lies at an offset.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

#include "symbols/symbols.h"

namespace heddle::symbols {

// What has to be known beyond a type's own DIE.
class TypeWorld {
 public:
  virtual ~TypeWorld() = default;
  // The full definition of a class that a unit only declares. clang declares every class whose definition it knows to
  // be described elsewhere.
  virtual std::optional<Dwarf_Die> definition(const Dwarf_Die& declaration) const = 0;
  // "ns::Outer::Inner" for a class; empty if not known.
  virtual std::string qualified_name(const Dwarf_Die& type) const = 0;
};

// As written in C++, without what typedefs stand for.
std::string type_name(Dwarf_Die type, const TypeWorld& world);

std::optional<uint64_t> type_size(Dwarf_Die type, const TypeWorld& world);

// What a pointer of this type points to; nothing if it is no pointer, or one to void or to a function.
std::optional<Dwarf_Die> pointed_type(Dwarf_Die type, const TypeWorld& world);

// Goes from an object of the type down to the smallest member at the offset. The name is the way to it, such as
// ".items[3].next" or "[2]", empty for the object itself. Members that a library reserves for itself (std::atomic's
// _M_i, pthread_mutex_t's __data) do not appear.
Variable member_of_type(Dwarf_Die type, uint64_t offset, const TypeWorld& world);

}  // namespace heddle::symbols
