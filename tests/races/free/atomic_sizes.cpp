// Atomics of every size under every operation.
#include <atomic>
#include <thread>

static std::atomic<char> a{0};
static std::atomic<short> b{0};
static std::atomic<int> c{0};
static std::atomic<long> d{0};
static void work() {
  a++;
  b += 2;
  c |= 4;
  d ^= 8;
  c &= 7;
  b -= 1;
  d.exchange(3);
  long e = 3;
  d.compare_exchange_strong(e, 4);
}

static void one() { work(); }
static void two() { work(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
