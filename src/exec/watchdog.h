#pragma once
// Watches for a run that no longer moves, and says what it does instead.
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace heddle::exec {

// A run that wants to compute and does not get the processor is not held responsible.
class Watchdog {
 public:
  explicit Watchdog(uint64_t limit_ms) : limit_(limit_ms) {}
  // To be asked now and then. `progress`: anything that moves when the run moves.
  bool fired(uint64_t progress, pid_t pid);

 private:
  static constexpr uint64_t kMostPatience = 20;
  uint64_t limit_;
  uint64_t last_ = ~uint64_t{0};
  uint64_t used_ = 0;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

// Tells a run that computes from one that sleeps in a call we do not model.
std::string what_it_does(pid_t pid, uint64_t watchdog_ms);

Outcome cannot_control(const std::string& message);

}  // namespace heddle::exec
