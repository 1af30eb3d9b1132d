// std::atomic::wait and notify.
#include <atomic>
#include <thread>

static int data;
static std::atomic<int> flag{0};
int seen;

static void one() {
  data = 1;
  flag.store(1, std::memory_order_release);
  flag.notify_one();
}
static void two() {
  flag.wait(0, std::memory_order_acquire);
  seen = data;
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
