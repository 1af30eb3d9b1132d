#include "runtime/engine/clock.h"

#include <errno.h>

#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/engine/due.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/run.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kSecond = 1000000000;
// A look at the clock takes this long: a loop that waits for time to pass ends.
constexpr uint64_t kLookNs = 1000;
// And while nothing else happens, this part of the time since something last did, up to a most: a wait of seconds ends after some hundred
// looks, and one that has to notice the time in between still does.
constexpr uint64_t kIdleShare = 8;
constexpr uint64_t kLongestLookNs = 100000000;
// Events between looks at the machine's clock.
constexpr uint64_t kRealLook = 64;
// A sleep of up to a second ends after this many events of others, a longer one after as many for each second: they have computed meanwhile.
constexpr uint64_t kSleepSteps = 2000;
constexpr uint64_t kEpoch = 1700000000;       // where the wall clock of a seeded run stands
constexpr uint64_t kLatest = UINT64_MAX / 4;  // nobody lives to see it

enum class Source : uint8_t { kVirtual, kReal, kRecorded };
Source g_source;
uint64_t g_real_base;  // CLOCK_REALTIME at time 0 of the run
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

uint64_t real_elapsed() {
  timespec now;
  real().clock_gettime(CLOCK_MONOTONIC, &now);
  const uint64_t at = nanoseconds(now);
  return at > g_mono_base ? at - g_mono_base : 0;
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

// Computing of the thread that runs.
void compute(uint64_t ns) {
  g_run.clock += ns;
  if (g_run.active && g_current != nullptr) g_current->used += ns;
}

void move_to(uint64_t clock) {
  if (g_run.clock < clock) g_run.clock = clock;
}

// What the program sees when it looks.
void look_at_clock() {
  uint64_t recorded = 0;
  switch (g_source) {
    case Source::kVirtual: compute(length_of_look()); return;
    case Source::kReal: move_to(real_elapsed()); break;
    case Source::kRecorded:
      if (kUpward.recorded_look(&recorded)) {
        move_to(recorded);
        g_clock_step = 0;  // the next entry may be of another kind
      } else {
        compute(length_of_look());
      }
      break;
  }
  kUpward.log_look(g_run.clock);
}

bool is_of_thread(clockid_t clock) { return clock == CLOCK_THREAD_CPUTIME_ID || (clock < 0 && (clock & 4) != 0); }

uint64_t processor_time(clockid_t clock) {
  uint64_t value = 0;
  if (g_source == Source::kReal) {
    value = static_cast<uint64_t>(real_now(is_of_thread(clock) ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID));
  } else if (g_source == Source::kVirtual || !kUpward.recorded_value(&value)) {
    compute(kLookNs);
    value = is_of_thread(clock) && g_run.active ? g_current->used : g_run.clock - g_run.waited;
  } else {
    g_clock_step = 0;
  }
  if (g_source != Source::kVirtual) kUpward.log_value(value);
  return value;
}

// Virtual time: is anybody kept from the end of its sleep by others who go on and on? Its time is over, and it gets a turn.
bool end_long_sleeps() {
  bool any = false;
  g_clock_step = UINT64_MAX;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    if (t.pending.op != Op::kSleep) continue;
    const uint64_t length = t.pending.value;
    const uint64_t steps = length <= kSecond ? kSleepSteps : kSleepSteps * (length / kSecond);
    const uint64_t ends = t.last_step + steps;
    if (g_run.step >= ends) {
      move_to(t.pending.deadline);
      any = true;
    }
    const uint64_t next = g_run.step >= ends ? g_run.step + kRealLook : ends;
    if (next < g_clock_step) g_clock_step = next;
  }
  return any;
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

ClockBase real_base() { return {static_cast<uint64_t>(real_now(CLOCK_REALTIME)), static_cast<uint64_t>(real_now(CLOCK_MONOTONIC))}; }

void start_real_clock(const ClockBase& base) {
  g_real_base = base.wall;
  g_mono_base = base.monotonic;
  g_source = Source::kReal;
  g_virtual_time = false;
  g_clock_step = 0;
}

void start_recorded_clock(const ClockBase& base) {
  start_real_clock(base);
  g_source = Source::kRecorded;
}

void replay_clock() {
  if (g_source == Source::kReal) g_source = Source::kRecorded;
  g_clock_step = 0;
}

bool is_real_time() { return g_source == Source::kReal; }

void wait_until(uint64_t clock) {
  if (g_run.clock >= clock) return;
  g_run.waited += clock - g_run.clock;
  g_run.clock = clock;
}

bool time_passes() {
  uint64_t recorded = 0;
  switch (g_source) {
    case Source::kVirtual: return end_long_sleeps();
    case Source::kReal:
      g_clock_step = g_run.step + kRealLook;
      if (const uint64_t now = real_elapsed(); now > g_run.clock) {
        g_run.clock = now;
        kUpward.log_pass(g_run.step, now);
      }
      return false;
    case Source::kRecorded:
      while (kUpward.recorded_pass(g_run.step, &recorded, &g_clock_step)) {
        move_to(recorded);
        kUpward.log_pass(g_run.step, g_run.clock);
      }
      return false;
  }
  return false;
}

void begins_sleep(uint64_t nanoseconds) {
  if (g_source != Source::kVirtual) return;
  const uint64_t ends = g_run.step + (nanoseconds <= kSecond ? kSleepSteps : kSleepSteps * (nanoseconds / kSecond));
  if (ends < g_clock_step) g_clock_step = ends;
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
  if (is_processor_time(clock)) {
    *out = to_time(processor_time(clock));
    return;
  }
  look_at_clock();
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
