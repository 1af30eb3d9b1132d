// Waits on the inner monitor with the outer lock held.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: (give|release|keeps|before).*
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex outer, inner;
static std::condition_variable filled;
static int items;

static void take() {
  std::lock_guard<std::mutex> hold(outer);  // BUG
  std::unique_lock<std::mutex> wait(inner);
  while (items == 0) filled.wait(wait);  // BUG
  --items;
}

static void put() {
  std::lock_guard<std::mutex> hold(outer);
  std::lock_guard<std::mutex> also(inner);
  ++items;
  filled.notify_one();
}

int main() {
  std::thread a(take), b(put);
  a.join();
  b.join();
}
