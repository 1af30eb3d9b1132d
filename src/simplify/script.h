#pragma once
// What each thread of a trace did, as steps that need something from the other threads and give something to them.
#include <unordered_map>

#include "simplify/schedule.h"

namespace heddle {

// What an event needs from the others and does to them.
enum class StepKind : uint8_t { kPlain, kLock, kUnlock, kWait, kReacquire, kSignal, kBroadcast, kSemWait, kSemPost, kBehind };

struct Step {
  StepKind kind = StepKind::kPlain;
  uint32_t object = kNoIndex;  // condition or semaphore
  uint32_t lock = kNoIndex;
  uint32_t reads = kNoIndex;   // place in memory
  uint32_t writes = kNoIndex;  // place in memory
  uint32_t writer = kNoIndex;  // whose value it read
  uint32_t waker = kNoIndex;   // kReacquire: the event that woke it
  uint32_t behind = kNoIndex;  // an event that comes before it in any schedule: birth, end of a joined thread
  bool may_avoid = false;      // kWait: its thread was woken, and need not have waited
};

struct Script {
  explicit Script(const Trace& trace);

  std::vector<Event> events;               // of the trace; behind them those by which a thread that waits in the end might have gone on
  std::vector<Thread> threads;             // as they would be after those
  std::vector<Step> steps;                 // of each event
  std::vector<std::vector<uint32_t>> own;  // events of each thread
  std::unordered_map<ObjectId, uint32_t> locks, conditions, semaphores;
  std::vector<int32_t> first_credit;  // of each semaphore: the least that explains the trace
  size_t places = 0;                  // of memory

 private:
  void lengthen(const Trace& trace);
  void read(const Trace& trace);
  void forget_counters();
};

}  // namespace heddle
