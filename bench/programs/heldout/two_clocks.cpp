// Two counters that always grow together are read in the wrong order, so that the first seems to be behind.
// heddle-kernel: family=two_clocks kind=assert granularity=access class=order
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> sent{0}, received{0};

void transfer() {
  for (int i = 0; i < 3; ++i) {
    ++sent;
    ++received;
  }
}

void watch() {
#ifdef FIXED
  const int in = received.load();
  const int out = sent.load();
#else
  const int out = sent.load();
  const int in = received.load();  // BUG
#endif
  assert(in <= out);
}

int main() {
  std::thread a(transfer), b(watch);
  a.join();
  b.join();
}
