#pragma once
// A schedule as the list of its thread execution intervals, and the moves of Tinertia 3.3 on it.
#include <vector>

#include "trace/trace.h"

namespace heddle::simplify {

// Operations first..last of a thread, counted in its own.
struct Interval {
  ThreadId thread;
  uint64_t first, last;

  friend bool operator==(const Interval&, const Interval&) = default;
};
using Schedule = std::vector<Interval>;

// As the last operation of an interval: until the thread ends or must wait.
inline constexpr uint64_t kForever = ~uint64_t{0};

Schedule schedule_of(const Trace& trace);

// Neighbours of the same thread become one interval; empty ones vanish.
Schedule merged(Schedule schedule);

// The number of switches: the paper's cost.
size_t cost(const Schedule& schedule);

// Index of the next (previous) interval of the same thread, or npos.
inline constexpr size_t kNoInterval = static_cast<size_t>(-1);
size_t next_of_thread(const Schedule& schedule, size_t index);
size_t previous_of_thread(const Schedule& schedule, size_t index);

// The composite operations of Tinertia 3.3, by interval instead of by action: each is defined only at an interval's first or last
// action. The result is merged().
Schedule remove_interval(Schedule schedule, size_t index);
// The next interval of the thread of `index` joins it, or (upto) its operations numbered <= upto do.
Schedule move_up(Schedule schedule, size_t index);
Schedule move_up_actions(Schedule schedule, size_t index, uint64_t upto);
// The previous interval of the thread of `index` moves down to it.
Schedule move_down(Schedule schedule, size_t index);

// A relaxed plan that follows `schedule` and has the choices, environment and point set of `like`; the tail stays.
Plan plan_for(const Schedule& schedule, const Trace& like, const Limits& limits);

}  // namespace heddle::simplify
