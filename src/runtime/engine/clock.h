#pragma once
// The clock that the program sees (docs/decisions/0029-time-and-processes.md). In a search it is virtual: time passes with events, not with the machine, and base
// and rate are the same for every schedule of a campaign. In a recording it is the machine's, and each motion of it is recorded; a replay takes
// those. It runs from the first call of the program's first constructor; a child process that nobody controls goes on from it at the
// real clock's pace.
#include <stdint.h>
#include <time.h>

namespace heddle::rt {

// env_seed 0: the clock starts at the real time, for a transparent run; otherwise at a time that is a function of it.
void start_clock(uint64_t env_seed);

struct ClockBase {
  uint64_t wall;       // CLOCK_REALTIME at the start of the run, in ns
  uint64_t monotonic;  // CLOCK_MONOTONIC then
};
ClockBase real_base();
void start_real_clock(const ClockBase& base);
void start_recorded_clock(const ClockBase& base);
// The machine's clock was this run's until here; from here on it is the recording's.
void replay_clock();
bool is_real_time();  // waits take as long as they take

// Every thread waits until then: no processor time.
void wait_until(uint64_t clock);
// g_clock_step has come. True: a thread has slept for so long, measured in what the others did, that it gets a turn.
bool time_passes();
// A thread is about to sleep for so long.
void begins_sleep(uint64_t nanoseconds);
// Time passes by itself from now on: this process is under nobody's control any more.
void release_clock();

// For clocks that is_clock knows. Looking takes time.
void read_clock(clockid_t clock, timespec* out);
// What clock_gettime says to the program, wherever it is called. Returns an error number.
int tell_time(clockid_t clock, timespec* out);
// The program sets the wall clock. Returns an error number.
int set_wall_clock(const timespec* time);

// Virtual nanoseconds at which an absolute or relative time is reached.
uint64_t deadline_at(clockid_t clock, const timespec* absolute);
uint64_t deadline_after(const timespec* relative);

// As the kernel and glibc see it: every call that takes a time refuses these, some of them only where they would wait.
inline bool valid_nanoseconds(const timespec* t) { return t->tv_nsec >= 0 && t->tv_nsec < 1000000000; }
inline bool valid_time(const timespec* t) { return t->tv_sec >= 0 && valid_nanoseconds(t); }
// The clocks that glibc lets a thread wait by.
inline bool is_wait_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
bool is_clock(clockid_t clock);

// A point in the program's time as the kernel's own clock has it, for a call that is not under control.
class RealTime {
 public:
  RealTime(clockid_t clock, const timespec* until);
  operator const timespec*() const { return until_; }
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

 private:
  timespec own_;
  const timespec* until_;
};

}  // namespace heddle::rt
