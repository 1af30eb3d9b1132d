#pragma once
// The virtual clock: time passes with events, not with the machine. Base and rate are the same for every schedule of a campaign.
#include <stdint.h>
#include <time.h>

namespace heddle::rt {

// env_seed 0: the clock starts at the real time, for a transparent run; otherwise at a time that is a function of it.
void start_clock(uint64_t env_seed);
void read_clock(clockid_t clock, timespec* out);
// Virtual nanoseconds at which an absolute or relative time is reached.
uint64_t deadline_at(clockid_t clock, const timespec* absolute);
uint64_t deadline_after(const timespec* relative);

}  // namespace heddle::rt
