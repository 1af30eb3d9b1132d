// Clocks, sleeps and yields.
#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/names.h"
#include "runtime/engine/sanitizer.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/recorded_names.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

constexpr uint64_t kSecond = 1000000000;

// False: a signal's handler ended it early.
bool sleep_until(uint64_t deadline, void* pc) {
  // Before main there is nobody to wait for.
  if (active()) {
    Pending p{};
    p.op = Op::kSleep;
    p.site = caller_site(pc);
    p.deadline = deadline;
    p.value = deadline > g_run.clock ? deadline - g_run.clock : 0;
    p.interrupt = Interrupt::kAlways;
    p.cancels = true;
    begins_sleep(p.value);
    if (point(p) == nullptr) return false;
  }
  wait_until(deadline);
  return true;
}

void store_left(uint64_t deadline, timespec* left) {
  const uint64_t rest = deadline > g_run.clock ? deadline - g_run.clock : 0;
  if (left != nullptr) *left = {static_cast<time_t>(rest / kSecond), static_cast<long>(rest % kSecond)};
}

int refuse_time(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// What clock_nanosleep says to a clock: EINVAL, or that nobody can sleep by it.
int may_sleep_by(clockid_t clock) {
  if (clock == CLOCK_THREAD_CPUTIME_ID || !is_clock(clock)) return EINVAL;
  return clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ? ENOTSUP : 0;
}

}  // namespace

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* out) { return refuse_time(tell_time(clock, out)); }

HEDDLE_EXPORT int clock_settime(clockid_t clock, const timespec* time) noexcept {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_clock_settime, clock, time)));
  return refuse_time(clock == CLOCK_REALTIME ? set_wall_clock(time) : EINVAL);
}

HEDDLE_EXPORT int settimeofday(const timeval* wanted, const struct timezone* zone) noexcept {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_settimeofday, wanted, zone)));
  if (wanted == nullptr) return 0;
  const timespec time{wanted->tv_sec, wanted->tv_usec * 1000};
  return refuse_time(set_wall_clock(&time));
}

HEDDLE_EXPORT clock_t clock() noexcept {
  timespec now{};
  if (tell_time(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return -1;
  return static_cast<clock_t>(now.tv_sec) * CLOCKS_PER_SEC + static_cast<clock_t>(now.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}

// The times of a process agree with its clocks. What the kernel counts besides is the kernel's.
HEDDLE_EXPORT int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  const iovec filled{usage, sizeof *usage};
  const long result = ask_kernel({&filled, 1, 1, 0}, [&] { return sys(SYS_getrusage, who, usage); });
  if (result != 0 || !in_world() || who == RUSAGE_CHILDREN) return static_cast<int>(with_errno(result));
  timespec used{};
  tell_time(who == RUSAGE_THREAD ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &used);
  usage->ru_utime = {used.tv_sec, used.tv_nsec / 1000};
  usage->ru_stime = {0, 0};
  return 0;
}

HEDDLE_EXPORT clock_t times(tms* out) noexcept {
  if (!in_world()) return with_errno(sys(SYS_times, out));
  constexpr long kTicks = 100;  // USER_HZ
  const auto in_ticks = [](const timespec& t) { return t.tv_sec * kTicks + t.tv_nsec / (1000000000 / kTicks); };
  tms kernel{};
  const iovec filled{&kernel, sizeof kernel};
  ask_kernel({&filled, 1, 1, 0}, [&]() -> long { return sys(SYS_times, &kernel) >= 0 ? 0 : -EFAULT; });
  timespec used{};
  timespec now{};
  tell_time(CLOCK_PROCESS_CPUTIME_ID, &used);
  tell_time(CLOCK_MONOTONIC, &now);
  if (out != nullptr) *out = {in_ticks(used), 0, kernel.tms_cutime, kernel.tms_cstime};
  return in_ticks(now);
}

HEDDLE_EXPORT int timespec_get(timespec* out, int base) noexcept {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, out);
  return base;
}

HEDDLE_EXPORT int gettimeofday(timeval* out, void* zone) {
  if (zone != nullptr) real().gettimeofday(out, zone);
  timespec now{};
  tell_time(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

HEDDLE_EXPORT time_t time(time_t* out) {
  timespec now{};
  tell_time(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

HEDDLE_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  if (!in_world()) {
    const long r = sys(SYS_nanosleep, duration, left);
    if (r == 0) return 0;
    errno = static_cast<int>(-r);
    return -1;
  }
  if (!valid_time(duration)) return refuse_time(EINVAL);
  const uint64_t deadline = deadline_after(duration);
  if (sleep_until(deadline, __builtin_return_address(0))) return 0;
  store_left(deadline, left);
  errno = EINTR;
  return -1;
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  if (!in_world()) {
    if (!absolute) return static_cast<int>(-sys(SYS_clock_nanosleep, clock, flags, time, left));
    return static_cast<int>(-sys(SYS_clock_nanosleep, clock, flags, static_cast<const timespec*>(RealTime(clock, time)), left));
  }
  if (const int error = may_sleep_by(clock); error != 0) return error;
  if (!valid_time(time)) return EINVAL;
  const uint64_t deadline = absolute ? deadline_at(clock, time) : deadline_after(time);
  if (sleep_until(deadline, __builtin_return_address(0))) return 0;
  if (!absolute) store_left(deadline, left);
  return EINTR;
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  const timespec duration{static_cast<time_t>(microseconds / 1000000), static_cast<long>(microseconds % 1000000) * 1000};
  if (in_world()) {
    if (sleep_until(deadline_after(&duration), __builtin_return_address(0))) return 0;
    errno = EINTR;
    return -1;
  }
  const long r = sys(SYS_nanosleep, &duration, nullptr);
  if (r == 0) return 0;
  errno = static_cast<int>(-r);
  return -1;
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  const timespec duration{static_cast<time_t>(seconds), 0};
  if (in_world()) {
    const uint64_t deadline = deadline_after(&duration);
    if (sleep_until(deadline, __builtin_return_address(0))) return 0;
    return deadline > g_run.clock ? static_cast<unsigned>((deadline - g_run.clock + kSecond - 1) / kSecond) : 0;
  }
  timespec left{0, 0};
  return sys(SYS_nanosleep, &duration, &left) == 0 ? 0 : static_cast<unsigned>(left.tv_sec);
}

HEDDLE_EXPORT int sched_yield() {
  // A sanitizer waits so for threads of its own, which nobody schedules.
  if (!active() || in_sanitizer(__builtin_return_address(0))) return static_cast<int>(sys(SYS_sched_yield));
  point(Op::kYield, nullptr, __builtin_return_address(0));
  return 0;
}
