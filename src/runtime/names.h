#pragma once
// Addresses of this process to names that survive a change of schedule.
#include "runtime/run.h"

namespace heddle::rt {

SiteId site_of(const void* pc);
const void* address_of(SiteId site);  // nullptr: its module is not loaded
// Where an interposer that stands for another one was called from; nullptr: there is none.
extern const void* g_called_from;
inline SiteId caller_site(const void* return_address) {
  if (__builtin_expect(g_called_from != nullptr, 0)) {
    return_address = g_called_from;
    g_called_from = nullptr;
  }
  return site_of(static_cast<const char*>(return_address) - 1);
}
struct CalledFrom {
  explicit CalledFrom(const void* return_address) {
    if (active()) g_called_from = return_address;
  }
  // Whoever did not ask for its site must not leave this one to the next.
  ~CalledFrom() { g_called_from = nullptr; }
  CalledFrom(const CalledFrom&) = delete;
  CalledFrom& operator=(const CalledFrom&) = delete;
};
// The same for an address of which only the low half was kept.
SiteId site_of_low(uint32_t pc);
// Names the memory there; a heap block, a global and a stack are named by what they are, other memory by who first used it.
ObjectId object_of(const void* address);
ObjectId name_descriptor(int fd);
// The name of what a pointer of this value would point to, or kNoObject: values in a trace must not depend on addresses.
ObjectId pointee(uint64_t value);
// Destroy or free ends a name: the next object at this address is another one.
void forget_object(const void* address);
void name_modules();  // refreshes the module table, after a dlopen

}  // namespace heddle::rt
