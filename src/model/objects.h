#pragma once
// What the tool keeps of a synchronisation object and of a thread while it goes over the events of a run. Plain memory, so that a state is
// copied by copying two arrays. The runtime has no such copy: there the program's own objects are the state.
#include "model/ready.h"
#include "wire/event.h"

namespace heddle::model {

inline constexpr uint64_t kEverybody = ~uint64_t{0};

struct ObjectNow {
  uint32_t owner = kNone;  // index of the thread that has the lock, writes, or runs the initialiser
  uint32_t depth = 0;      // how often the owner has it
  uint32_t readers = 0;
  int32_t count = 0;      // a semaphore's value; the arrivals in a barrier's round; 1: the initialiser has completed
  uint32_t size = 0;      // of a barrier; 0: not known
  bool exact = false;     // `count` is more than a lower bound
  bool reenters = false;  // the run has shown that its owner may lock it again,
  bool robust = false;    // or that it outlives its owner
  bool doubtful = false;  // somebody else changes it too: what is counted here says nothing
};

struct ThreadNow {
  bool live = false;          // from its creation to its last event
  bool woken = false;         // the wait that it is in was ended by somebody
  bool unsure = false;        // perhaps
  uint32_t waits_on = kNone;  // object: condition, barrier or futex
  uint32_t mutex = kNone;     // object that the wait gave back
  uint32_t turn = 0;          // first come, first served among those who wait
  uint64_t deadline = 0;      // 0: none that is known
};

// An event, with its names looked up.
struct Happening {
  Op op = Op::kNone;
  uint16_t flags = 0;  // EventFlag
  uint32_t thread = kNone;
  uint32_t object = kNone;  // index of its object; of a join: of the thread
  uint32_t mutex = kNone;   // object that a condition's wait gives back
  uint32_t peer = kNone;    // the thread that it creates, or the waiter that it was chosen to wake
  uint64_t value = 0;
};

}  // namespace heddle::model
