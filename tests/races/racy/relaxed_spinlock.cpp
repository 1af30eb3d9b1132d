// A lock made of relaxed operations keeps the threads apart but orders nothing.
#include <atomic>
#include <thread>

static std::atomic<bool> taken{false};
static int value;
static void add() {
  while (taken.exchange(true, std::memory_order_relaxed)) std::this_thread::yield();
  value++;
  taken.store(false, std::memory_order_relaxed);
}

static void one() { add(); }
static void two() { add(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
