#pragma once
// Order between the events of a trace: vector clocks, conflicts, who reads from whom, and a name for the run's partial order.
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/order_walk.h"
#include "trace/trace.h"

namespace heddle::trace {

enum class Edges : uint8_t {
  kMust,   // thread creation and join, conditions, barriers...: an order that no other schedule of the same operations can turn round
  kLocks,  // and unlock -> lock, post -> wait
  kSync,   // and atomic release -> acquire: the order of the usual race detectors
};

// Vector clocks over a trace (Lamport 1978; Mattern 1989). Clocks are shared between events: an event stores its own only where an edge came in.
class HappensBefore {
 public:
  HappensBefore(const Trace& trace, Edges edges);
  // Did event i have to come before event j?
  bool before(size_t i, size_t j) const;
  // Before event j's thread came to stand before j, without what j itself acquires: could j have been executed instead of i?
  bool before_reaching(size_t i, size_t j) const;
  bool concurrent(size_t i, size_t j) const { return i != j && !before(i, j) && !before(j, i); }

 private:
  using Clock = std::vector<uint32_t>;
  bool reached(size_t i, uint32_t clock, size_t j) const;

  struct Stamp {
    uint32_t thread, number;
    uint32_t at;        // clock at the event
    uint32_t reaching;  // clock of the thread before the event's own acquisition
  };
  std::vector<Stamp> stamps_;
  std::vector<Clock> clocks_;
};

// Would the two operations, of different threads on the same object, give another result in the other order? Memory: one of them writes.
// Locks: both ask for it, and not both as readers; or one tries and the other gives it back. Conditions: one waits. Semaphores, descriptors: both take, or one may fail.
bool operations_conflict(Op a, Op b);
// A failed compare-and-swap only reads.
bool events_conflict(const Event& a, const Event& b);
bool writes(const Event& event);
bool reads(const Event& event);

struct EventPair {
  size_t first, second;  // event indices, first < second
};

// Pairs of conflicting events of different threads that another schedule might turn round: the second's thread could have come to it
// without the first. The free of a block conflicts with every use of what lies in it. For every second event: the nearest first of each other thread, and that thread's earliest. Sorted.
struct ConflictLimits {
  size_t pairs = 20'000;
  size_t each = 128;     // other threads for one event
  size_t reach = 2'000;  // how many earlier events of the same object are looked at for one event
};
std::vector<EventPair> reversible_conflicts(const Trace& trace, const ConflictLimits& limits = {});

inline constexpr size_t kNoWrite = static_cast<size_t>(-1);
struct ReadsFrom {
  size_t write;  // or kNoWrite: the value from before the first event
  size_t read;
};
std::vector<ReadsFrom> reads_from(const Trace& trace);

// Names the run's partial order (Mazurkiewicz trace): two runs with the same hash differ only in the order of independent operations.
// `prefix` hashes name the state after each event, so that a search knows a state that it has already been in.
uint64_t order_hash(const Trace& trace);
std::vector<uint64_t> order_hashes(const Trace& trace);
// One event for the walk that makes these hashes; `mutex`: of a wait or wake-up (HeldLocks::mutex_of); `block`: Blocks::of its object. Does
// it leave everything as it was?
OrderWalk::Operation operation_of(const Trace& trace, const Event& event, ObjectId mutex, ObjectId block);
bool only_reads(const Event& event);

// What is new in a run, for feedback: consecutive conflicting operations of two threads on one object, named by their sites and operations
// (reads-from pairs, lock orders and conflict orders alike); sorted, without repetition.
std::vector<uint64_t> behaviours(const Trace& trace);

}  // namespace heddle::trace
