// A ring buffer with one producer and one consumer.
#include <atomic>
#include <thread>

static int ring[2];
static std::atomic<int> written{0}, taken{0};
int sum;

static void one() {
  for (int i = 0; i < 5; ++i) {
    while (written.load(std::memory_order_relaxed) - taken.load(std::memory_order_acquire) == 2) std::this_thread::yield();
    ring[i % 2] = i;
    written.store(i + 1, std::memory_order_release);
  }
}
static void two() {
  for (int i = 0; i < 5; ++i) {
    while (written.load(std::memory_order_acquire) <= i) std::this_thread::yield();
    sum += ring[i % 2];
    taken.store(i + 1, std::memory_order_release);
  }
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return sum == 10 ? 0 : 1;
}
