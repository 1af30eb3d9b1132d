// Low and high bounds are two atomics: a reader between the two updates sees low above high.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
// fix: lock|one critical section|together|one (atomic )?step
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> low{0}, high{10};

static void move_window(int by) {
  low += by;   // BUG
  high += by;  // BUG
}

static void check() {
  const int l = low, h = high;  // BUG
  assert(l <= h);
}

int main() {
  std::thread mover(move_window, 20), checker(check);
  mover.join();
  checker.join();
}
