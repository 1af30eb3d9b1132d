// A lock made of an exchange that spins without a call.
#include <atomic>
#include <thread>

static std::atomic<bool> taken{false};
int value;
static void add() {
  while (taken.exchange(true, std::memory_order_acquire)) {
  }
  value++;
  taken.store(false, std::memory_order_release);
}

static void one() { add(); }
static void two() { add(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
