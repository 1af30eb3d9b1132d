// A lock made of compare-and-swap.
#include <atomic>
#include <thread>

static std::atomic<int> taken{0};
int value;
static void add() {
  int free = 0;
  while (!taken.compare_exchange_weak(free, 1, std::memory_order_acquire, std::memory_order_relaxed)) {
    free = 0;
    std::this_thread::yield();
  }
  value++;
  taken.store(0, std::memory_order_release);
}

static void one() { add(); }
static void two() { add(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
