#pragma once
// Two accesses to the same memory by different threads, one of them a write, that nothing orders.
#include "wire/ids.h"
#include "wire/ops.h"

namespace heddle {

enum class RaceKind : uint32_t {
  kConfirmed = 0,  // unordered by happens-before in this very run
  kPossible,       // ordered in this run only by who happened to take a lock first, and no lock held in common
};

inline constexpr uint32_t kRaceStack = 16;
inline constexpr uint32_t kRaceLocks = 8;

struct RaceSide {
  uint32_t thread;  // index
  Op op;            // kLoad, kStore, kAtomic*, kFree
  uint16_t size;    // bytes, at most 65535
  SiteId site;
  uint32_t stack_size;
  uint32_t lock_count;
  SiteId stack[kRaceStack];    // innermost first, without the site itself
  ObjectId locks[kRaceLocks];  // held at the access
};

struct RaceRow {
  RaceKind kind;
  uint32_t count;  // how often this pair of sites raced in the run
  ObjectId object;
  RaceSide first;  // the earlier access
  RaceSide second;
};
inline constexpr uint32_t kMaxRaces = 4096;

}  // namespace heddle
