// std::shared_mutex.
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
int value;
int seen;

static void one() {
  {
    std::unique_lock lock(m);
    value = 1;
  }
  std::shared_lock lock(m);
  (void)value;
}
static void two() {
  std::shared_lock lock(m);
  seen = value;
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
