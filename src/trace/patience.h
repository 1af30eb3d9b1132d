#pragma once
// The end of the tool's own thinking: an analysis of a long run must not outlast the time that the user gave.
#include <cstdint>
#include <functional>

namespace heddle::trace {

// Thrown by an analysis that is still at work when its time is over. Not an error: whoever sets the limit catches it.
struct OutOfTime {};

// While it lives, analyses on this thread look now and then whether `over` says so, and end by throwing OutOfTime.
class Patience {
 public:
  explicit Patience(const std::function<bool()>& over);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  const std::function<bool()>* before_;
};

// To be called once for each event, pair or candidate that an analysis looks at.
void look_at_clock();
inline thread_local uint32_t t_thoughts = 0;
inline void think() {
  if (__builtin_expect((++t_thoughts & 0x3FF) == 0, 0)) look_at_clock();
}

}  // namespace heddle::trace
