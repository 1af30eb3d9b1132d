#pragma once
#include "wire/ids.h"
#include "wire/ops.h"

namespace heddle {

enum EventFlag : uint16_t {
  // On the first event of a slice, about the thread that ran before it: its next operation was enabled at the switch...
  kPreviousReady = 1 << 0,
  // ...but only because a timed wait could have timed out. Then the switch is no preemption by our rule, and is one by the paper's.
  kPreviousReadyByTimeout = 1 << 1,
  kTimedOut = 1 << 2,        // this timed wait ended by its time-out
  kFailed = 1 << 3,          // a try operation that did not get its object, or a compare-and-swap that did not swap
  kSpin = 1 << 4,            // a recognised iteration of a spin loop: gives way, is no preemption's left side
  kChoice = 1 << 5,          // the value is a recorded choice of this operation (Choice in a plan)
  kSpurious = 1 << 6,        // on a wait and on its wake-up: it ends without a signal and without a time-out, by choice
  kExiting = 1 << 7,         // executed after the program called exit()
  kDisabledThread = 1 << 8,  // the creation or join of a thread that the plan removed: it has its birth number and never starts
  kPointer = 1 << 10,        // the value is the name (ObjectId) of what the pointer that was read or written points to
  kShared = 1 << 12,         // a futex or barrier of several processes: others may end the wait
  kEarly = 1 << 11,          // a time-out that fired while somebody else could have gone on
  kWide = 1 << 9,            // a memory access of more than 8 bytes: value holds its first 8
};

// One operation, recorded when it begins to execute: the last event of a crashed run is the operation that crashed.
struct Event {
  uint32_t thread;  // index in the trace's thread table (order of creation in this run)
  uint32_t number;  // of this operation among the thread's own, over the point set; the thread's start is 1
  Op op;
  uint16_t flags;  // EventFlag
  uint32_t size;   // bytes accessed, for memory operations; of a time-out that fired early, by how many microseconds; else 0
  ObjectId object;
  SiteId site;
  uint64_t value;  // read or written, or the call's argument or choice
};
static_assert(sizeof(Event) == 40);

}  // namespace heddle
