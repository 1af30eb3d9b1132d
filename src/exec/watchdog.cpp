#include "exec/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "exec/activity.h"

namespace heddle::exec {

bool Watchdog::fired(uint64_t progress, pid_t pid) {
  const auto now = std::chrono::steady_clock::now();
  if (progress != last_) {
    last_ = progress;
    since_ = now;
    used_ = activity_of(pid).used_ms;
    return false;
  }
  const auto waited = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now - since_).count());
  if (limit_ == 0 || waited <= limit_) return false;
  const Activity a = activity_of(pid);
  const bool starved = a.state == 'R' && a.used_ms - std::min(a.used_ms, used_) < limit_ / 2;
  return !starved || waited > kMostPatience * limit_;
}

std::string what_it_does(pid_t pid, uint64_t watchdog_ms) {
  const char state = activity_of(pid).state;
  const double seconds = static_cast<double>(watchdog_ms) / 1000;
  if (state == 'S' || state == 'D') {
    std::ifstream call_file(fmt::format("/proc/{}/syscall", pid));
    std::string call;
    call_file >> call;
    return fmt::format("blocked for {:g} s in a system call that Heddle does not control{}", seconds,
                       call.empty() || call == "running" ? "" : fmt::format(" (number {})", call));
  }
  return fmt::format("computed for {:g} s without a scheduling point", seconds);
}

Outcome cannot_control(const std::string& message) {
  Outcome o;
  o.kind = OutcomeKind::kCannotControl;
  o.message = message;
  return o;
}

}  // namespace heddle::exec
