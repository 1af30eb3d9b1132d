// The largest queue length ever seen is kept in an atomic: it is read, compared and stored in steps.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
// fix: compare.exchange|one (atomic )?step|lock
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> high_water{0};

static void seen(int length) {
  if (length > high_water.load()) {  // BUG
    high_water.store(length);
  }
}

int main() {
  std::thread a(seen, 3), b(seen, 8);
  a.join();
  b.join();
  assert(high_water == 8);
}
