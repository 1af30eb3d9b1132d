#pragma once
// Addresses of this process to names that survive a change of schedule.
#include "runtime/run.h"

namespace heddle::rt {

SiteId site_of(const void* pc);
inline SiteId caller_site(const void* return_address) { return site_of(static_cast<const char*>(return_address) - 1); }
ObjectId object_of(const void* address);
// Destroy or free ends a name: the next object at this address is another one.
void forget_object(const void* address);
void name_modules();   // refreshes the module table, after a dlopen

}  // namespace heddle::rt
