#pragma once
// Timers of the program on the virtual clock: alarm, setitimer, timer_create and timerfd.
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>

#include "runtime/engine/due.h"

namespace heddle::rt {

enum class TimerKind : uint8_t { kFree, kAlarm, kPosix, kDescriptor };

struct Timer {
  TimerKind kind;
  bool armed;
  int number;  // kPosix: signal, 0 = none; kDescriptor: the descriptor
  int clock;
  int overrun;
  uint64_t deadline;  // virtual ns
  uint64_t interval;
  sigval value;
  // SIGEV_THREAD: what is called, on a thread of the timer's own, once for each post.
  void (*notify)(sigval);
  sem_t due;
  bool deleted;  // the thread frees it
};

// nullptr when there are too many.
Timer* new_timer(TimerKind kind);
Timer* find_timer(TimerKind kind, int number);
Timer* timer_at(uint32_t index);
uint32_t index_of(const Timer* timer);
void set_timer(Timer* timer, uint64_t deadline, uint64_t interval);  // deadline 0 disarms
void free_timer(Timer* timer);
// Sends what is due by now. True if anything was.
bool fire_timers();

}  // namespace heddle::rt
