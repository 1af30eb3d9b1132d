// Check and refill of a cache, with two innocent readers beside.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|hold
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock, other;
static int fills, value, reads;

static void refill() {
  bool empty;
  {
    std::lock_guard<std::mutex> hold(lock);
    empty = value == 0;
  }
  if (empty) {
    std::lock_guard<std::mutex> hold(lock);  // BUG
    value = 7;
    ++fills;
  }
}

static void innocent() {
  std::lock_guard<std::mutex> hold(other);
  ++reads;
}

int main() {
  std::thread i(innocent), a(refill), j(innocent), b(refill);
  i.join();
  a.join();
  j.join();
  b.join();
  assert(fills == 1 && reads == 2);
}
