// Published with a relaxed store and read with a relaxed load.
#include <atomic>
#include <thread>

static int data;
static std::atomic<int> flag{0};
int seen;

static void one() {
  data = 1;
  flag.store(1, std::memory_order_relaxed);
}
static void two() {
  while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  seen = data;
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
