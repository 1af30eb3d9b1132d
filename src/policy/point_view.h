#pragma once
// What a policy sees of a run at a scheduling point. Freestanding: the runtime in the target and the toy programs of the tests both use it.
#include "model/ready.h"
#include "wire/ops.h"
#include "wire/plan.h"

namespace heddle::policy {

// A live thread and its next operation.
struct Candidate {
  ThreadId thread;
  uint32_t slot;    // index of the thread in this run
  uint32_t number;  // of the pending operation among the thread's own
  Op op;
  Ready ready;
  bool gave_way;  // its last event was a yield, a sleep or a spin iteration, and nobody else has run since
  ObjectId object;
  SiteId site;
  uint64_t last_step;  // when it last executed an event; 0 = never
  uint64_t deadline;   // kTimeout: virtual time at which it is enabled anyway
};

struct PointView {
  const Candidate* threads;
  uint32_t count;
  uint32_t current;  // index in `threads` of the thread that executed the last event, or kNobody if it has ended
  uint64_t step;     // number of the event about to be executed, from 1
  uint64_t now;      // virtual clock, ns
  // Those of `threads` that are ready and did not give way, as indices in order; nullptr: nobody has counted them.
  const uint32_t* able = nullptr;
  uint32_t able_count = 0;
};
inline constexpr uint32_t kNobody = 0xFFFFFFFF;

inline constexpr uint64_t kNsInMs = 1'000'000;
inline constexpr uint64_t kEarlyTimeoutMs = 1'000;
// No longer wait ends early, but in a strict replay: that others take as long is nothing that happens.
inline constexpr uint64_t kLongestEarlyMs = 60'000;

}  // namespace heddle::policy
