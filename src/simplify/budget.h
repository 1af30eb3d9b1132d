#pragma once
#include <chrono>

#include "simplify/simplify.h"

namespace heddle::simplify {

inline constexpr size_t kBatch = 4;  // sampled runs under way at once, whatever the number of workers

// Executions, wall-clock time and the stop flag of one simplification.
class Budget {
 public:
  Budget(size_t max_executions, double seconds, const std::atomic<bool>* stop)
      : max_executions_(max_executions), seconds_(seconds), stop_(stop), start_(std::chrono::steady_clock::now()) {}

  void count() { ++executions_; }
  size_t executions() const { return executions_; }
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  bool spent() const {
    return (max_executions_ != 0 && executions_ >= max_executions_) || (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) ||
           (seconds_ > 0 && elapsed() >= seconds_);
  }

 private:
  size_t max_executions_;
  double seconds_;
  const std::atomic<bool>* stop_;
  std::chrono::steady_clock::time_point start_;
  size_t executions_ = 0;
};

// A candidate that runs much longer than the failing trace is no simplification of it. A livelock is known by reaching its limit.
Limits run_limits(const Trace& failing, const Limits& wanted);
inline Limits run_limits(const PassInput& input) { return run_limits(input.best, input.options.limits); }

}  // namespace heddle::simplify
