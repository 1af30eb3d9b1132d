// A pointer published with release and read with consume.
#include <atomic>
#include <thread>

static int data;
static std::atomic<int*> pointer{nullptr};
int seen;

static void one() {
  data = 1;
  pointer.store(&data, std::memory_order_release);
}
static void two() {
  int* p;
  while ((p = pointer.load(std::memory_order_consume)) == nullptr) std::this_thread::yield();
  seen = *p;
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
