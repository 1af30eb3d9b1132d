#include "runtime/outside/timers.h"

#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/engine/model.h"
#include "runtime/outside/delivery.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kMaxTimers = 256;
HEDDLE_APART Timer g_timers[kMaxTimers];

void find_next() {
  g_next_timer = kNoTimer;
  for (const Timer& t : g_timers) {
    if (t.armed && t.deadline < g_next_timer) g_next_timer = t.deadline;
  }
}

void expire(const Timer& t, uint64_t times) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  switch (t.kind) {
    case TimerKind::kAlarm:
      info.si_signo = SIGALRM;
      info.si_code = SI_KERNEL;
      send_to_process(SIGALRM, &info);
      return;
    case TimerKind::kPosix:
      if (t.notify != nullptr) real().sem_post(const_cast<sem_t*>(&t.due));
      if (t.number == 0) return;
      info.si_signo = t.number;
      info.si_code = SI_TIMER;
      info.si_value = t.value;
      send_to_process(t.number, &info);
      return;
    case TimerKind::kDescriptor:
      // The descriptor is an eventfd in disguise: its count is the number of expirations.
      sys(SYS_write, t.number, &times, sizeof times);
      return;
    case TimerKind::kFree: return;
  }
}

}  // namespace

Timer* new_timer(TimerKind kind) {
  for (Timer& t : g_timers) {
    if (t.kind != TimerKind::kFree) continue;
    memset(&t, 0, sizeof t);
    t.kind = kind;
    return &t;
  }
  return nullptr;
}

Timer* find_timer(TimerKind kind, int number) {
  for (Timer& t : g_timers) {
    if (t.kind == kind && (kind == TimerKind::kAlarm || t.number == number)) return &t;
  }
  return nullptr;
}

Timer* timer_at(uint32_t index) { return index < kMaxTimers && g_timers[index].kind != TimerKind::kFree ? &g_timers[index] : nullptr; }
uint32_t index_of(const Timer* timer) { return static_cast<uint32_t>(timer - g_timers); }

void set_timer(Timer* timer, uint64_t deadline, uint64_t interval) {
  timer->armed = deadline != 0;
  timer->deadline = deadline;
  timer->interval = interval;
  find_next();
}

void free_timer(Timer* timer) {
  timer->kind = TimerKind::kFree;
  timer->armed = false;
  find_next();
}

bool fire_timers() {
  bool any = false;
  for (Timer& t : g_timers) {
    if (!t.armed || t.deadline > g_run.clock) continue;
    any = true;
    uint64_t times = 1;
    if (t.interval == 0) {
      t.armed = false;
    } else {
      times += (g_run.clock - t.deadline) / t.interval;
      t.deadline += times * t.interval;
    }
    t.overrun = static_cast<int>(times - 1);
    expire(t, times);
  }
  find_next();
  if (any) ++g_descriptor_news;
  return any;
}

}  // namespace heddle::rt
