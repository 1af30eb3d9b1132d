// The default order publishes the data.
#include <atomic>
#include <thread>

static int data;
static std::atomic<int> flag{0};
int seen;

static void one() {
  data = 1;
  flag = 1;
}
static void two() {
  while (flag == 0) std::this_thread::yield();
  seen = data;
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
