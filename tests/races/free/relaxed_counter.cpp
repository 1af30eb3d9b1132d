// A counter of relaxed additions.
#include <atomic>
#include <thread>

static std::atomic<int> counter{0};
static void add() {
  for (int i = 0; i < 4; ++i) counter.fetch_add(1, std::memory_order_relaxed);
}

static void one() { add(); }
static void two() { add(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return counter == 8 ? 0 : 1;
}
