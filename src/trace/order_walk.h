#pragma once
// The partial order of a run, hashed as it grows.
#include <cstddef>
#include <vector>

#include "wire/event.h"

namespace heddle::trace {

// What order_hashes() is made of, one operation at a time. An operation's hash covers its thread's past and the past of what it touches;
// reads between two writes commute, so an object keeps the hash of its last write and the sum of the reads since.
class OrderWalk {
 public:
  struct Operation {
    uint32_t thread;  // index
    ThreadId id;
    uint64_t number;
    Op op;
    bool chosen = false;  // a choice, a time-out or a spurious wake-up: `value` belongs to what happened
    uint64_t value = 0;
    ObjectId mutex = kNoObject;  // of a condition's wait or wake-up
    ObjectId object = kNoObject;
    ObjectId block = kNoObject;  // that the object lies in, for the order of its uses and its free
  };
  void reset();
  // First half. The hash of all that the operation can depend on: in a program whose racing accesses are all points it fixes the
  // operation's result.
  uint64_t finds(const Operation& operation);
  // Second half. `reads`: it changes nothing that others see. Returns the hash of everything so far.
  uint64_t ends(bool reads);

  uint64_t past(uint32_t thread) const { return thread < pasts_.size() ? pasts_[thread] : 0; }
  uint64_t whole() const { return whole_; }

 private:
  struct ObjectPast {
    uint64_t write = 0;
    uint64_t reads = 0;
  };
  // By object, in one piece of memory that the next walk uses again: a search walks through millions of runs.
  struct Place {
    ObjectId object = kNoObject;
    uint64_t walk = 0;  // that wrote it; of another one: free
    ObjectPast past;
  };
  // Valid until the next call.
  ObjectPast& past_of(ObjectId object);
  Place& place_of(ObjectId object);
  void make_room();

  std::vector<Place> places_;
  size_t objects_ = 0;
  uint64_t walk_ = 1;
  std::vector<uint64_t> pasts_;
  uint64_t whole_ = 0;
  uint64_t hash_ = 0;  // between the halves
  ThreadId id_ = kNoThread;
  uint32_t thread_ = 0;
  ObjectPast* touched_ = nullptr;
};

}  // namespace heddle::trace
