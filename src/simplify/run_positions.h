#pragma once
// A run taken apart into the positions between its events: who could have run there, and at what price. For searches over schedules.
#include <unordered_map>

#include <string>

#include "simplify/dependence.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

// One position of a run, before its event of the same index.
struct Position {
  uint64_t order = 0;  // class of the events so far: equal for two runs iff these did the same (up to collisions)
  std::vector<uint32_t> enabled;
  uint32_t current = kNoIndex;  // ran the last event
  bool free = false;            // a switch here is no preemption
  size_t stays = 0;             // how often `current` went on since the last switch after giving way at one and the same place
  size_t preemptions = 0;       // so far
  size_t switches = 0;
  std::vector<uint32_t> waiters;  // whom the event, a signal, may wake
};

class RunPositions {
 public:
  // `exact`: positions are named by the whole schedule up to them, not by its partial order, so that no two runs that differ share one.
  explicit RunPositions(const Trace& trace, bool exact = false);

  const Trace& trace() const { return trace_; }
  const Position& at(size_t k) const { return positions_[k]; }
  const Dependence& dependence() const { return dependence_; }

  // The event at which the block that contains event k began: the last position at or before it where its thread was freely chosen.
  size_t block_of(size_t k) const;
  // The operation that the thread of the event before position k does next, or npos where the run ended before.
  size_t next_of_current(size_t k) const { return next_of_current_[k]; }

 private:
  bool gave_way_before(size_t k) const;

  const Trace& trace_;
  Dependence dependence_;
  std::vector<Position> positions_;
  std::vector<size_t> next_of_current_;
};

// Which places of memory more than one thread uses, in all runs seen so far. A preemption before an operation on something that no other
// thread uses is the same as one after it.
class Sharing {
 public:
  // Returns the places that were not known to be shared before.
  std::vector<uint64_t> add(const Trace& trace);
  // The place of an operation that only its own thread is known to use; 0 where others may use it too.
  uint64_t private_place(const Trace& trace, const Event& event) const;

 private:
  // What stands for the object: its allocation, or its word where that is known. 0: not known.
  uint64_t place(const Trace& trace, const Event& event) const;

  static constexpr ThreadId kSeveral = kNoThread;
  std::unordered_map<ObjectId, uint64_t> places_;
  std::unordered_map<uint64_t, ThreadId> users_;
};

// Preemptions that need not be tried, because they come before the use of something that only one thread is known to use; and those of
// them that must be tried after all, once another thread is seen to use it.
class PassedOver {
 public:
  using Place = std::pair<Trace, size_t>;  // a run, and the position in it
  // True if the preemption before `event`, at position k of the run, can be passed over for now.
  bool may_skip(const Trace& run, size_t k, const Event& event);
  // What `trace` shows to be shared brings these back.
  std::vector<Place> learn(const Trace& trace);
  void forget() { kept_.clear(); }

 private:
  Sharing sharing_;
  std::unordered_map<uint64_t, std::vector<Place>> kept_;  // by the place in memory
};

// The run's first k events, then one operation of `thread`, then the tail; that operation, a signal, wakes `waiter` if one is given.
// `thread`: index, or kNoIndex for none.
Plan branch(const Trace& run, size_t k, uint32_t thread, ThreadId waiter, const Limits& limits);

// Why the run lies outside of the space that the searches over schedules go through; empty if it lies in it. Of its time-outs this says
// nothing: whether one came early is seen by making the run without being told to fire it (`without_timeouts`).
std::string outside_of_space(const Trace& run);
// The plan of the run with every choice but which time-outs fire.
Plan without_timeouts(const Trace& run, const Limits& limits);

// How often a thread that gave way may go on at once although another could run.
inline constexpr size_t kSpinBound = 2;

}  // namespace heddle::simplify
