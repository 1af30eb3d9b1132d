#pragma once
// When runs must be over, whatever they do: one that is still under way then is given up.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "wire/rooms.h"

namespace heddle::exec {

class Deadline {
 public:
  bool over() const {
    const int64_t until = until_.load(std::memory_order_relaxed);
    return until != 0 && now() >= until;
  }

  // Milliseconds until then, at most `most`.
  int left(int most) const {
    const int64_t until = until_.load(std::memory_order_relaxed);
    return until == 0 ? most : static_cast<int>(std::clamp<int64_t>((until - now()) / 1'000'000 + 1, 0, most));
  }
  void expire() { until_ = 1; }

  // Sets it for as long as this object lives; 0 seconds are no limit. Scopes nest.
  class Scope {
   public:
    Scope(Deadline& deadline, double seconds)
        : deadline_(deadline), before_(deadline.until_.exchange(seconds > 0 ? now() + static_cast<int64_t>(seconds * 1e9) : 0)) {}
    ~Scope() { deadline_.until_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Deadline& deadline_;
    const int64_t before_;
  };

 private:
  static int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  std::atomic<int64_t> until_{0};
};

}  // namespace heddle::exec
