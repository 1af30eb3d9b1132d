// std::condition_variable.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static bool ready;
static int data;
int seen;

static void one() {
  {
    std::lock_guard lock(m);
    data = 1;
    ready = true;
  }
  c.notify_one();
}
static void two() {
  std::unique_lock lock(m);
  c.wait(lock, [] { return ready; });
  seen = data;
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
