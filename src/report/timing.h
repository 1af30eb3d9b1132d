#pragma once
// What a schedule asks of time, in words that let a person judge whether it happens: sleeps that others outlast, wake-ups without a signal.
#include <string>
#include <vector>

#include "report/names.h"

namespace heddle::report {

struct TimingNeed {
  size_t event = 0;
  const char* kind = "";  // "sleep", "time-out" or "spurious wake-up"
  uint64_t microseconds = 0;
  std::string sentence;  // "T2 takes longer than main's sleep of 500 us (a.c:12) before it locks m (a.c:20)"
};
std::vector<TimingNeed> timing_needs(Names& names);
std::vector<TimingNeed> timing_needs(const Trace& trace);

}  // namespace heddle::report
