// Thread-local variables belong to one thread.
#include <atomic>
#include <thread>

static thread_local int mine;
static void work() {
  for (int i = 0; i < 5; ++i) mine += i;
}

static void one() { work(); }
static void two() { work(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
