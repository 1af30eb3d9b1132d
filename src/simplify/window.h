#pragma once
#include <algorithm>
#include <cstddef>

#include "wire/rooms.h"

namespace heddle::simplify {

// How many proposals are under way at once: one after a success, since each success makes the others stale, and more the longer nothing
// succeeds. A function of the results alone, so that the number of workers changes nothing.
class RunWindow {
 public:
  size_t size() const { return size_; }
  void accepted() { size_ = 1; }
  void rejected() { size_ = std::min<size_t>(size_ * 2, kMost); }

 private:
  static constexpr size_t kMost = 2;
  size_t size_ = 1;
};

}  // namespace heddle::simplify
