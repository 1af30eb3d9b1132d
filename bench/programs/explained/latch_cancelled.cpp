// A worker that finds the job cancelled returns without counting the latch down.
// heddle-bug: kind=deadlock granularity=access class=deadlock set=tuned
// fix: ended after .* without arriving
#include <atomic>
#include <latch>
#include <thread>

static std::atomic<bool> cancelled{false};
static std::latch ready(2);
static int results[2];

static void part(int i) {
  if (cancelled.load()) return;  // BUG
  results[i] = i + 1;
  ready.count_down();  // FIX
}

static void watchdog() { cancelled.store(true); }

int main() {
  std::thread a(part, 0), b(part, 1), c(watchdog);
  ready.wait();
  a.join();
  b.join();
  c.join();
}
