#include "runtime/engine/clock.h"

#include <errno.h>

#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/run.h"
#include "runtime/engine/scheduler.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kSecond = 1000000000;
// A look at the clock takes this long: a loop that waits for time to pass ends.
constexpr uint64_t kLookNs = 1000;
// And while nothing else happens, this part of the time since something last did, up to a most: a wait of seconds ends after some hundred
// looks, and one that has to notice the time in between still does.
constexpr uint64_t kIdleShare = 8;
constexpr uint64_t kLongestLookNs = 100000000;
constexpr uint64_t kEpoch = 1700000000;       // where the wall clock of a seeded run stands
constexpr uint64_t kLatest = UINT64_MAX / 4;  // nobody lives to see it

uint64_t g_real_base;  // CLOCK_REALTIME at virtual time 0
uint64_t g_mono_base;
uint64_t g_idle_motion;  // the run's last motion, as of the last look
uint64_t g_idle_clock;   // at the first look after that
bool g_released;
int64_t g_wall_ahead;  // of a released clock: what the program's clocks are ahead of the real ones
int64_t g_mono_ahead;

bool is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}
bool is_of_device(clockid_t clock) { return clock < 0 && (clock & 7) == 3; }
// Those of a process or thread too, whose numbers are negative.
bool is_processor_time(clockid_t clock) {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || (clock < 0 && !is_of_device(clock));
}

uint64_t base_of(clockid_t clock) { return is_wall(clock) ? g_real_base : is_processor_time(clock) ? 0 : g_mono_base; }

uint64_t nanoseconds(const timespec& t) {
  if (t.tv_sec < 0) return 0;
  if (static_cast<uint64_t>(t.tv_sec) >= kLatest / kSecond) return kLatest;
  return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_nsec);
}

timespec to_time(uint64_t ns) { return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)}; }

int64_t real_now(clockid_t clock) {
  timespec now;
  sys(SYS_clock_gettime, clock, &now);
  return static_cast<int64_t>(nanoseconds(now));
}

uint64_t length_of_look() {
  if (g_idle_motion != g_run.progress.last_motion || g_idle_clock > g_run.clock) {
    g_idle_motion = g_run.progress.last_motion;
    g_idle_clock = g_run.clock;
  }
  if (g_run.step - g_run.progress.last_motion < kIdleSteps) return kLookNs;
  const uint64_t share = (g_run.clock - g_idle_clock) / kIdleShare;
  return share < kLookNs ? kLookNs : share < kLongestLookNs ? share : kLongestLookNs;
}

int64_t ahead(clockid_t clock) { return is_wall(clock) ? g_wall_ahead : g_mono_ahead; }

}  // namespace

void start_clock(uint64_t env_seed) {
  if (env_seed != 0) {
    g_real_base = kEpoch * kSecond + mix(env_seed, 1) % (kSecond * 86400);
    g_mono_base = kSecond * 3600;
    return;
  }
  g_real_base = static_cast<uint64_t>(real_now(CLOCK_REALTIME));
  g_mono_base = static_cast<uint64_t>(real_now(CLOCK_MONOTONIC));
}

void release_clock() {
  if (g_released) return;
  g_released = true;
  g_wall_ahead = static_cast<int64_t>(g_real_base + g_run.clock) - real_now(CLOCK_REALTIME);
  g_mono_ahead = static_cast<int64_t>(g_mono_base + g_run.clock) - real_now(CLOCK_MONOTONIC);
}

bool is_clock(clockid_t clock) {
  if (clock < 0) return sys(SYS_clock_getres, clock, nullptr) == 0;
  return clock <= CLOCK_BOOTTIME_ALARM || clock == CLOCK_TAI;
}

void read_clock(clockid_t clock, timespec* out) {
  disturbed("they look at the clock meanwhile");
  g_run.clock += length_of_look();
  *out = to_time(base_of(clock) + g_run.clock);
}

int tell_time(clockid_t clock, timespec* out) {
  if (in_world() && !is_of_device(clock)) {
    if (!is_clock(clock)) return EINVAL;
    read_clock(clock, out);
    return 0;
  }
  const int error = real().clock_gettime(clock, out) == 0 ? 0 : errno;
  if (error != 0 || !g_released || is_processor_time(clock) || is_of_device(clock)) return error;
  *out = to_time(nanoseconds(*out) + static_cast<uint64_t>(ahead(clock)));
  return 0;
}

int set_wall_clock(const timespec* time) {
  if (!valid_time(time)) return EINVAL;
  if (sys(SYS_geteuid) != 0) return EPERM;
  g_real_base = nanoseconds(*time) - g_run.clock;
  return 0;
}

uint64_t deadline_at(clockid_t clock, const timespec* absolute) {
  const uint64_t at = nanoseconds(*absolute);
  const uint64_t base = base_of(clock);
  return at > base ? at - base : 0;
}

uint64_t deadline_after(const timespec* relative) { return g_run.clock + nanoseconds(*relative); }

RealTime::RealTime(clockid_t clock, const timespec* until) : own_{}, until_(until) {
  if (until == nullptr || !valid_time(until) || is_processor_time(clock) || is_of_device(clock)) return;
  int64_t by = 0;
  if (g_released) {
    by = ahead(clock);
  } else if (in_world()) {
    by = static_cast<int64_t>(base_of(clock) + g_run.clock) - real_now(clock);
  } else {
    return;
  }
  const int64_t at = static_cast<int64_t>(nanoseconds(*until)) - by;
  own_ = to_time(at > 0 ? static_cast<uint64_t>(at) : 0);
  until_ = &own_;
}

}  // namespace heddle::rt
