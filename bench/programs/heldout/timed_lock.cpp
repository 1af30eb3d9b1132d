// A statistics thread waits for the lock at most 2 ms and then reads without it.
// heddle-kernel: family=timed_lock kind=assert granularity=access class=race
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

std::timed_mutex lock;
volatile int hits, misses;

void work() {
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard<std::timed_mutex> guard(lock);
    hits = hits + 1;
    misses = misses + 1;
  }
}

void report() {
  std::unique_lock<std::timed_mutex> guard(lock, std::defer_lock);
#ifdef FIXED
  guard.lock();
#else
  (void)guard.try_lock_for(std::chrono::milliseconds(2));  // BUG
#endif
  const int h = hits;
  const int m = misses;
  assert(h == m);
}

int main() {
  std::thread a(work), b(report);
  a.join();
  b.join();
}
