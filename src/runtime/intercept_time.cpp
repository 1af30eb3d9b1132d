// Clocks, sleeps and yields.
#include <errno.h>

#include "runtime/clock.h"
#include "runtime/names.h"
#include "runtime/outside_watch.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/sys.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kSecond = 1000000000;
// A look at the clock takes this long: a loop that waits for time to pass ends.
constexpr uint64_t kLookNs = 1000;
// And while nothing else happens, this part of the time since something last did, up to a most: a wait of seconds ends after some hundred
// looks, and one that has to notice the time in between still does.
constexpr uint64_t kIdleShare = 8;
constexpr uint64_t kLongestLookNs = 100000000;
constexpr uint64_t kEpoch = 1700000000;  // where the wall clock of a seeded run stands

uint64_t g_real_base;  // CLOCK_REALTIME at virtual time 0
uint64_t g_mono_base;
uint64_t g_idle_motion;  // the run's last motion, as of the last look
uint64_t g_idle_clock;   // at the first look after that

bool is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI; }
uint64_t base_of(clockid_t clock) { return is_wall(clock) ? g_real_base : g_mono_base; }
uint64_t nanoseconds(const timespec& t) { return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_nsec); }

uint64_t length_of_look() {
  if (g_idle_motion != g_run.last_motion || g_idle_clock > g_run.clock) {
    g_idle_motion = g_run.last_motion;
    g_idle_clock = g_run.clock;
  }
  if (g_run.step - g_run.last_motion < kIdleSteps) return kLookNs;
  const uint64_t share = (g_run.clock - g_idle_clock) / kIdleShare;
  return share < kLookNs ? kLookNs : share < kLongestLookNs ? share : kLongestLookNs;
}

// False: a signal's handler ended it early.
bool sleep_until(uint64_t deadline, void* pc) {
  Pending p{};
  p.op = Op::kSleep;
  p.site = caller_site(pc);
  p.deadline = deadline;
  p.value = deadline > g_run.clock ? deadline - g_run.clock : 0;
  p.interrupt = Interrupt::kAlways;
  p.cancels = true;
  if (point(p) == nullptr) return false;
  if (g_run.clock < deadline) g_run.clock = deadline;
  return true;
}

void store_left(uint64_t deadline, timespec* left) {
  const uint64_t rest = deadline > g_run.clock ? deadline - g_run.clock : 0;
  if (left != nullptr) *left = {static_cast<time_t>(rest / kSecond), static_cast<long>(rest % kSecond)};
}

bool valid(const timespec* t) { return t != nullptr && t->tv_nsec >= 0 && t->tv_nsec < static_cast<long>(kSecond) && t->tv_sec >= 0; }

}  // namespace

void start_clock(uint64_t env_seed) {
  if (env_seed != 0) {
    g_real_base = kEpoch * kSecond + mix(env_seed, 1) % (kSecond * 86400);
    g_mono_base = kSecond * 3600;
    return;
  }
  timespec now;
  sys(SYS_clock_gettime, CLOCK_REALTIME, &now);
  g_real_base = nanoseconds(now);
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  g_mono_base = nanoseconds(now);
}

void read_clock(clockid_t clock, timespec* out) {
  disturbed("they look at the clock meanwhile");
  g_run.clock += length_of_look();
  const uint64_t now = base_of(clock) + g_run.clock;
  out->tv_sec = static_cast<time_t>(now / kSecond);
  out->tv_nsec = static_cast<long>(now % kSecond);
}

uint64_t deadline_at(clockid_t clock, const timespec* absolute) {
  const uint64_t at = nanoseconds(*absolute);
  const uint64_t base = base_of(clock);
  return at > base ? at - base : 0;
}

uint64_t deadline_after(const timespec* relative) { return g_run.clock + nanoseconds(*relative); }

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* out) {
  if (!active()) return real().clock_gettime(clock, out);
  read_clock(clock, out);
  return 0;
}

HEDDLE_EXPORT int timespec_get(timespec* out, int base) noexcept {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, out);
  return base;
}

HEDDLE_EXPORT int gettimeofday(timeval* out, void* zone) {
  if (!active()) return real().gettimeofday(out, zone);
  timespec now;
  read_clock(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

HEDDLE_EXPORT time_t time(time_t* out) {
  if (!active()) return real().time(out);
  timespec now;
  read_clock(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

HEDDLE_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  if (!active()) {
    const long r = sys(SYS_nanosleep, duration, left);
    if (r == 0) return 0;
    errno = static_cast<int>(-r);
    return -1;
  }
  if (!valid(duration)) {
    errno = EINVAL;
    return -1;
  }
  const uint64_t deadline = deadline_after(duration);
  if (sleep_until(deadline, __builtin_return_address(0))) return 0;
  store_left(deadline, left);
  errno = EINTR;
  return -1;
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!active()) return static_cast<int>(-sys(SYS_clock_nanosleep, clock, flags, time, left));
  if (!valid(time)) return EINVAL;
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const uint64_t deadline = absolute ? deadline_at(clock, time) : deadline_after(time);
  if (sleep_until(deadline, __builtin_return_address(0))) return 0;
  if (!absolute) store_left(deadline, left);
  return EINTR;
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  const timespec duration{static_cast<time_t>(microseconds / 1000000), static_cast<long>(microseconds % 1000000) * 1000};
  if (active()) {
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
  if (active()) {
    const uint64_t deadline = deadline_after(&duration);
    if (sleep_until(deadline, __builtin_return_address(0))) return 0;
    return deadline > g_run.clock ? static_cast<unsigned>((deadline - g_run.clock + kSecond - 1) / kSecond) : 0;
  }
  timespec left{0, 0};
  return sys(SYS_nanosleep, &duration, &left) == 0 ? 0 : static_cast<unsigned>(left.tv_sec);
}

HEDDLE_EXPORT int sched_yield() {
  if (!active()) return static_cast<int>(sys(SYS_sched_yield));
  point(Op::kYield, nullptr, __builtin_return_address(0));
  return 0;
}
