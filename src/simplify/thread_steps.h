#pragma once
// What each thread of a trace did, as steps that need something from the other threads and give something to them.
#include <unordered_map>

#include "simplify/schedule.h"
#include "trace/objects.h"

namespace heddle::simplify {

// What an event needs from the others and does to them, besides what the model says.
struct Step {
  model::Happening happening;
  uint32_t lock = model::kNone;  // that it takes or gives back, itself or as the mutex of a condition's wait
  bool takes = false;            // the lock
  bool gives_back = false;
  uint32_t reads = kNoIndex;   // place in memory
  uint32_t writes = kNoIndex;  // place in memory
  uint32_t writer = kNoIndex;  // whose value it read
  uint32_t waker = kNoIndex;   // of a wait's end: the event that woke it
  uint32_t behind = kNoIndex;  // an event that comes before it in any schedule: birth, end of a joined thread
  bool may_avoid = false;      // of a wait: its thread was woken, and need not have waited
};

struct ThreadSteps {
  explicit ThreadSteps(const Trace& trace);

  std::vector<Event> events;               // of the trace; behind them those by which a thread that waits in the end might have gone on
  std::vector<Thread> threads;             // as they would be after those
  std::vector<Step> steps;                 // of each event
  std::vector<std::vector<uint32_t>> own;  // events of each thread
  TraceObjects objects;
  RunState start;     // semaphores: the least that explains the trace
  size_t places = 0;  // of memory

 private:
  void lengthen(const Trace& trace);
  std::vector<uint32_t> recorded_;  // of each event: itself in the trace, or the one that it repeats
  void read(const Trace& trace);
  void read_synchronisation(const Trace& trace, uint32_t index, RunState* now, std::vector<uint32_t>* woken_by);
  void forget_counters();
};

}  // namespace heddle::simplify
