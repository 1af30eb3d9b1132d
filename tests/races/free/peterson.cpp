// Peterson's lock, sequentially consistent.
#include <atomic>
#include <thread>

static std::atomic<int> wants[2];
static std::atomic<int> turn{0};
int value;
static void enter(int me) {
  wants[me] = 1;
  turn = 1 - me;
  while (wants[1 - me] && turn == 1 - me) std::this_thread::yield();
  value++;
  wants[me] = 0;
}

static void one() { enter(0); }
static void two() { enter(1); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
