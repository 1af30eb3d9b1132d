// A ring buffer whose index is published relaxed.
#include <atomic>
#include <thread>

static int ring[4];
static std::atomic<int> written{0};
int sum;

static void one() {
  for (int i = 0; i < 4; ++i) {
    ring[i] = i + 1;
    written.store(i + 1, std::memory_order_relaxed);
  }
}
static void two() {
  for (int i = 0; i < 4; ++i) {
    while (written.load(std::memory_order_relaxed) <= i) std::this_thread::yield();
    sum += ring[i];
  }
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
