// alarm, interval timers, POSIX timers and timerfds on the virtual clock.
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/outside/descriptors.h"
#include "runtime/outside/timers.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

constexpr uint64_t kSecond = 1000000000;

uint64_t from_timeval(const timeval& t) { return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_usec) * 1000; }
timeval to_timeval(uint64_t ns) { return {static_cast<time_t>(ns / kSecond), static_cast<suseconds_t>(ns % kSecond / 1000)}; }
uint64_t from_timespec(const timespec& t) { return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_nsec); }
timespec to_timespec(uint64_t ns) { return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)}; }

uint64_t left_of(const Timer* t) {
  if (t == nullptr || !t->armed) return 0;
  return t->deadline > g_run.clock ? t->deadline - g_run.clock : 1;
}

Timer* the_alarm() {
  Timer* t = find_timer(TimerKind::kAlarm, 0);
  return t != nullptr ? t : new_timer(TimerKind::kAlarm);
}

void show(const Timer* t, itimerspec* out) {
  if (out == nullptr) return;
  out->it_value = to_timespec(left_of(t));
  out->it_interval = to_timespec(t->interval);
}

void arm(Timer* t, bool absolute, const itimerspec* wanted) {
  if (from_timespec(wanted->it_value) == 0) {
    set_timer(t, 0, 0);
    return;
  }
  const uint64_t deadline = absolute ? deadline_at(t->clock, &wanted->it_value) : deadline_after(&wanted->it_value);
  set_timer(t, deadline == 0 ? 1 : deadline, from_timespec(wanted->it_interval));
}

bool valid_timeval(const timeval& t) { return t.tv_sec >= 0 && t.tv_usec >= 0 && t.tv_usec < 1000000; }

long set_itimer(const itimerval* wanted, itimerval* old) {
  if (!valid_timeval(wanted->it_value) || !valid_timeval(wanted->it_interval)) return -EINVAL;
  Timer* t = the_alarm();
  if (t == nullptr) return -EINVAL;
  if (old != nullptr) *old = {to_timeval(t->interval), to_timeval(left_of(t))};
  const uint64_t first = from_timeval(wanted->it_value);
  set_timer(t, first != 0 ? g_run.clock + first : 0, from_timeval(wanted->it_interval));
  return 0;
}

// glibc hands out pointers and small numbers; ours are odd addresses that neither of them is.
constexpr uintptr_t kTimerTag = 0x7E0000000000001;
timer_t handle_of(const Timer* t) { return reinterpret_cast<timer_t>(kTimerTag + uintptr_t{index_of(t)} * 2); }
Timer* timer_of(timer_t handle) {
  const auto value = reinterpret_cast<uintptr_t>(handle);
  if (value < kTimerTag || (value - kTimerTag) % 2 != 0) return nullptr;
  Timer* t = timer_at(static_cast<uint32_t>((value - kTimerTag) / 2));
  return t != nullptr && t->kind == TimerKind::kPosix ? t : nullptr;
}

// The C library would start a thread for each expiration; ours runs them one after the other.
void* run_timer(void* argument) {
  auto* t = static_cast<Timer*>(argument);
  for (;;) {
    if (sem_wait(&t->due) != 0) continue;
    if (t->deleted) break;
    t->notify(t->value);
  }
  free_timer(t);
  return nullptr;
}

int start_timer_thread(Timer* t, const pthread_attr_t* wanted) {
  pthread_attr_t own;
  pthread_attr_init(&own);
  size_t stack = 0;
  if (wanted != nullptr && pthread_attr_getstacksize(wanted, &stack) == 0 && stack != 0) pthread_attr_setstacksize(&own, stack);
  pthread_attr_setdetachstate(&own, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int error = pthread_create(&thread, &own, run_timer, t);
  pthread_attr_destroy(&own);
  return error;
}

int refuse(int error) {
  errno = error;
  return -1;
}

}  // namespace

HEDDLE_EXPORT unsigned alarm(unsigned seconds) noexcept {
  itimerval wanted{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval old{};
  if (active()) {
    set_itimer(&wanted, &old);
  } else {
    sys(SYS_setitimer, ITIMER_REAL, &wanted, &old);
  }
  const auto left = static_cast<unsigned>(old.it_value.tv_sec);
  return old.it_value.tv_usec >= 500000 || (left == 0 && old.it_value.tv_usec > 0) ? left + 1 : left;
}

HEDDLE_EXPORT int setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* old) noexcept {
  if (active() && which == ITIMER_REAL && wanted != nullptr) return static_cast<int>(with_errno(set_itimer(wanted, old)));
  if (active()) note(caller_site(__builtin_return_address(0)), "a timer of processor time runs on the real clock");
  return static_cast<int>(with_errno(sys(SYS_setitimer, which, wanted, old)));
}

HEDDLE_EXPORT useconds_t ualarm(useconds_t value, useconds_t interval) noexcept {
  const itimerval wanted{{0, static_cast<suseconds_t>(interval)}, {0, static_cast<suseconds_t>(value)}};
  itimerval old{};
  if (setitimer(ITIMER_REAL, &wanted, &old) != 0) return static_cast<useconds_t>(-1);
  return static_cast<useconds_t>(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}

HEDDLE_EXPORT int getitimer(__itimer_which_t which, itimerval* out) noexcept {
  if (!active() || which != ITIMER_REAL) return static_cast<int>(with_errno(sys(SYS_getitimer, which, out)));
  const Timer* t = the_alarm();
  *out = {to_timeval(t != nullptr ? t->interval : 0), to_timeval(left_of(t))};
  return 0;
}

HEDDLE_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* out) noexcept {
  const bool starts_thread = event != nullptr && event->sigev_notify == SIGEV_THREAD;
  if (active() && !is_clock(clock)) return refuse(EINVAL);
  if (active() && event != nullptr && event->sigev_notify == SIGEV_SIGNAL && (event->sigev_signo < 1 || event->sigev_signo > 64)) {
    return refuse(EINVAL);
  }
  const bool modelled = event == nullptr || starts_thread || event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_NONE;
  if (!active() || !modelled) {
    if (active()) note(caller_site(__builtin_return_address(0)), "timer_create: a timer for one kernel thread runs on the real clock");
    return real_io().timer_create(clock, event, out);
  }
  Timer* t = new_timer(TimerKind::kPosix);
  if (t == nullptr) return refuse(EAGAIN);
  t->clock = clock;
  t->number = event == nullptr ? SIGALRM : event->sigev_notify == SIGEV_SIGNAL ? event->sigev_signo : 0;
  if (event != nullptr) t->value = event->sigev_value;
  if (starts_thread) {
    CalledFrom outer(__builtin_return_address(0));
    t->notify = event->sigev_notify_function;
    sem_init(&t->due, 0, 0);
    if (start_timer_thread(t, event->sigev_notify_attributes) != 0) {
      free_timer(t);
      return refuse(EAGAIN);
    }
  }
  *out = handle_of(t);
  return 0;
}

HEDDLE_EXPORT int timer_settime(timer_t handle, int flags, const itimerspec* wanted, itimerspec* old) noexcept {
  Timer* t = timer_of(handle);
  if (t == nullptr) return real_io().timer_settime(handle, flags, wanted, old);
  if (!valid_time(&wanted->it_value) || !valid_time(&wanted->it_interval)) return refuse(EINVAL);
  show(t, old);
  arm(t, (flags & TIMER_ABSTIME) != 0, wanted);
  return 0;
}

HEDDLE_EXPORT int timer_gettime(timer_t handle, itimerspec* out) noexcept {
  const Timer* t = timer_of(handle);
  if (t == nullptr) return real_io().timer_gettime(handle, out);
  show(t, out);
  return 0;
}

HEDDLE_EXPORT int timer_getoverrun(timer_t handle) noexcept {
  const Timer* t = timer_of(handle);
  return t == nullptr ? real_io().timer_getoverrun(handle) : t->overrun;
}

HEDDLE_EXPORT int timer_delete(timer_t handle) noexcept {
  Timer* t = timer_of(handle);
  if (t == nullptr) return real_io().timer_delete(handle);
  if (t->notify != nullptr) {
    set_timer(t, 0, 0);
    t->deleted = true;
    real().sem_post(&t->due);
    return 0;
  }
  free_timer(t);
  return 0;
}

// A timerfd is an eventfd in disguise: reads and polls of the two are the same, and we add the expirations.
HEDDLE_EXPORT int timerfd_create(clockid_t clock, int flags) noexcept {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_timerfd_create, clock, flags)));
  const bool knows = is_wait_clock(clock) || clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
  if (!knows || (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0) return refuse(EINVAL);
  const long fd = sys(SYS_eventfd2, 0, flags & (TFD_NONBLOCK | TFD_CLOEXEC));
  if (fd < 0) return static_cast<int>(with_errno(fd));
  if (Timer* stale = find_timer(TimerKind::kDescriptor, static_cast<int>(fd))) free_timer(stale);
  Timer* t = new_timer(TimerKind::kDescriptor);
  if (t == nullptr) {
    sys(SYS_close, fd);
    return refuse(EMFILE);
  }
  t->number = static_cast<int>(fd);
  t->clock = clock;
  return static_cast<int>(fd);
}

HEDDLE_EXPORT int timerfd_settime(int fd, int flags, const itimerspec* wanted, itimerspec* old) noexcept {
  Timer* t = active() ? find_timer(TimerKind::kDescriptor, fd) : nullptr;
  if (t == nullptr) return static_cast<int>(with_errno(sys(SYS_timerfd_settime, fd, flags, wanted, old)));
  if (!valid_time(&wanted->it_value) || !valid_time(&wanted->it_interval)) return refuse(EINVAL);
  show(t, old);
  // Setting it forgets the expirations that nobody has read.
  pollfd watched{fd, POLLIN, 0};
  uint64_t count = 0;
  if (descriptors_ready({&watched, 1, false})) sys(SYS_read, fd, &count, sizeof count);
  arm(t, (flags & TFD_TIMER_ABSTIME) != 0, wanted);
  return 0;
}

HEDDLE_EXPORT int timerfd_gettime(int fd, itimerspec* out) noexcept {
  const Timer* t = active() ? find_timer(TimerKind::kDescriptor, fd) : nullptr;
  if (t == nullptr) return static_cast<int>(with_errno(sys(SYS_timerfd_gettime, fd, out)));
  show(t, out);
  return 0;
}
