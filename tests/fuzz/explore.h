#pragma once
// The truth about a small program: all of its schedules, by interpreting it over its full state. The only memory is of states that are equal in
// everything (variables, registers, places, locks, waiters, clock, who ran last); nothing is left out as equivalent.
#include <map>
#include <set>
#include <string>

#include "program.h"

namespace fuzz {

enum class Points {
  kCalls,     // a plain build: before calls of the library; accesses happen at once with the call before them
  kReleases,  // ...and after those calls that let others go on
  kAccesses,  // an instrumented build: before every access of a shared variable, too
};

struct Limits {
  Points points = Points::kCalls;
  int early = 0;  // time-outs that may fire although something else can run
  size_t states = 200'000;
};

struct Truth {
  bool complete = false;  // within the limit of states
  size_t states = 0;
  std::map<std::string, int> failures;  // "assert T1.4", "deadlock T1.2 T2.5" -> fewest preemptions of such a schedule
  std::map<std::string, int> outcomes;  // values of all variables at the end of main -> fewest preemptions
  std::vector<double> schedules;        // how many there are with 0, 1, ... preemptions, up to kCounted
  int fewest() const;                   // of any failure, or -1
};
inline constexpr int kCounted = 5;

Truth explore(const Program& program, const Limits& limits);

}  // namespace fuzz
