// A consumer that was woken does not look again: another consumer has taken the item.
// heddle-bug: kind=assert granularity=sync class=wait set=tuned
// fix: while|loop|again
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static int items;

static void consumer() {
  std::unique_lock<std::mutex> hold(lock);
  if (items == 0) filled.wait(hold);  // BUG
  assert(items > 0);
  --items;
}

static void producer() {
  std::lock_guard<std::mutex> hold(lock);
  ++items;
  filled.notify_one();
}

int main() {
  std::thread a(consumer), b(producer), c(producer), d(consumer);
  a.join();
  b.join();
  c.join();
  d.join();
}
