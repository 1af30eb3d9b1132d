// std::atomic_flag as a lock.
#include <atomic>
#include <thread>

static std::atomic_flag taken = ATOMIC_FLAG_INIT;
int value;
static void add() {
  while (taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  value++;
  taken.clear(std::memory_order_release);
}

static void one() { add(); }
static void two() { add(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
