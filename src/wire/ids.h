#pragma once
// Names that survive a change of schedule (docs/design.md, "Names"). Each is 64 bits, a function of what the thing is and never of
// an address or of the order in which a run met it; tables in the trace turn a name back into words.
#include <stdint.h>

#include "wire/rooms.h"

namespace heddle {

using ThreadId = uint64_t;
using ObjectId = uint64_t;
using SiteId = uint64_t;

// Deterministic avalanche of two words; every derived name and every random number of a run goes through it.
constexpr uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15ull ^ (b + 0xD1B54A32D192ED03ull);
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ull;
  x ^= x >> 29;
  x *= 0xA0761D6478BD642Full;
  x ^= x >> 32;
  return x;
}

inline constexpr ThreadId kNoThread = 0;
inline constexpr ThreadId kMainThread = 1;

// The n-th thread that `parent` creates (n counts from 1): the hash of the path of births "0.2.1". A removed thread keeps its number.
constexpr ThreadId child_thread(ThreadId parent, uint32_t birth) {
  const uint64_t id = mix(parent, birth);
  return id > kMainThread ? id : id + 2;
}

// A place in the code: module number and offset from the module's load bias. Module numbers index the trace's module table.
inline constexpr SiteId kNoSite = 0;
constexpr SiteId make_site(uint32_t module, uint64_t offset) {
  return (static_cast<uint64_t>(module + 1) << 48) | (offset & 0xFFFFFFFFFFFFull);
}
constexpr uint32_t site_module(SiteId site) { return static_cast<uint32_t>(site >> 48) - 1; }
constexpr uint64_t site_offset(SiteId site) { return site & 0xFFFFFFFFFFFFull; }

enum class ObjectKind : uint8_t {
  kNone = 0,
  kGlobal,      // a = module, b = offset
  kHeap,        // a = allocating thread, b = number of its allocation
  kStack,       // a = thread, b = distance from the thread's stack top
  kThread,      // a = the thread
  kDescriptor,  // b = file descriptor
  kMapped,      // a = thread that first used it, b = how many such it had used: memory whose origin we did not see
};
inline constexpr ObjectId kNoObject = 0;

// `offset` counts from the start of the allocation; it is 0 where b is already exact.
constexpr ObjectId make_object(ObjectKind kind, uint64_t a, uint64_t b, uint64_t offset = 0) {
  const uint64_t hash = mix(mix(a, b), offset) >> 4;
  return (static_cast<uint64_t>(kind) << 60) | hash;
}
constexpr ObjectKind object_kind(ObjectId id) { return static_cast<ObjectKind>(id >> 60); }

}  // namespace heddle
