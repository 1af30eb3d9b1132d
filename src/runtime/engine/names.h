#pragma once
// Addresses of this process to names that survive a change of schedule.
#include "runtime/engine/run.h"
#include "runtime/engine/sanitizer.h"

namespace heddle::rt {

// The names of places that were asked for last: most points are about few of them.
struct SiteEntry {
  const void* pc;
  SiteId site;
};
inline constexpr uint32_t kSiteCache = 4096;
extern SiteEntry g_site_names[kSiteCache];
inline SiteEntry& site_entry(const void* pc) {
  return g_site_names[(reinterpret_cast<uintptr_t>(pc) ^ (reinterpret_cast<uintptr_t>(pc) >> 12)) % kSiteCache];
}
SiteId site_of_new(const void* pc);
inline SiteId site_of(const void* pc) {
  const SiteEntry& entry = site_entry(pc);
  return __builtin_expect(entry.pc == pc, 1) ? entry.site : site_of_new(pc);
}
const void* address_of(SiteId site);  // nullptr: its module is not loaded
// Where an interposer that stands for another one was called from; nullptr: there is none.
extern const void* g_called_from;
inline SiteId caller_site(const void* return_address) {
  if (__builtin_expect(g_called_from != nullptr, 0)) {
    return_address = g_called_from;
    g_called_from = nullptr;
  }
  if (__builtin_expect(in_sanitizer(return_address), 0)) return_address = caller_of_sanitizer(return_address);
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
bool is_instrumented_code(const void* pc);
bool is_in_module(const void* address);  // code or data of a file
const void* pc_of(SiteId site);          // the return address whose caller_site it is; nullptr: not known
SiteId site_of_low(uint32_t pc);
// Names the memory there; a heap block, a global and a stack are named by what they are, other memory by who first used it.
ObjectId object_of_new(const void* address);
struct NamedPlace {
  const void* address;
  uint64_t era;
  ObjectId id;
};
inline constexpr uint32_t kNamedPlaces = 64;
extern NamedPlace g_named_places[kNamedPlaces];
inline NamedPlace& named_place(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return g_named_places[(at >> 3 ^ at >> 9) % kNamedPlaces];
}
// Moves on where what lies at some address may no longer be what it was: a block is given back, a thread begins or ends.
extern uint64_t g_naming_era;
inline ObjectId object_of(const void* address) {
  const NamedPlace& place = named_place(address);
  return __builtin_expect(place.address == address && place.era == g_naming_era, 1) ? place.id : object_of_new(address);
}
ObjectId name_descriptor(int fd);
// The name of what a pointer of this value would point to, or kNoObject: values in a trace must not depend on addresses.
ObjectId pointee(uint64_t value);
// Destroy or free ends a name: the next object at this address is another one.
void forget_object(const void* address);
void name_modules();  // refreshes the module table, after a dlopen

}  // namespace heddle::rt
