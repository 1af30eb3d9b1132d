// std::call_once.
#include <atomic>
#include <mutex>
#include <thread>

static std::once_flag once;
int value;
static thread_local int seen;
static void work() {
  std::call_once(once, [] { value = 1; });
  seen = value;
}

static void one() { work(); }
static void two() { work(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
