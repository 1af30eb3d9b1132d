// A ticket lock.
#include <atomic>
#include <thread>

static std::atomic<int> next{0}, serving{0};
int value;
static void add() {
  const int mine = next.fetch_add(1, std::memory_order_relaxed);
  while (serving.load(std::memory_order_acquire) != mine) {
  }
  value++;
  serving.store(mine + 1, std::memory_order_release);
}

static void one() { add(); }
static void two() { add(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
