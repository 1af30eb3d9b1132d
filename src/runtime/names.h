#pragma once
// Addresses of this process to names that survive a change of schedule.
#include "runtime/run.h"

namespace heddle::rt {

SiteId site_of(const void* pc);
inline SiteId caller_site(const void* return_address) { return site_of(static_cast<const char*>(return_address) - 1); }
// The same for an address of which only the low half was kept.
SiteId site_of_low(uint32_t pc);
// Names the memory there; a heap block, a global and a stack are named by what they are, other memory by who first used it.
ObjectId object_of(const void* address);
ObjectId name_descriptor(int fd);
// Destroy or free ends a name: the next object at this address is another one.
void forget_object(const void* address);
void name_modules();   // refreshes the module table, after a dlopen

}  // namespace heddle::rt
