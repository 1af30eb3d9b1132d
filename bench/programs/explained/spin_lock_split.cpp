// A spin lock that tests and sets in two steps.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: mutex|lock|one (atomic )?step|exchange
#include <atomic>
#include <cassert>
#include <thread>

class SpinLock {
 public:
  void lock() {
    while (taken_.load()) std::this_thread::yield();  // BUG
    taken_.store(true);                               // BUG
  }
  void unlock() { taken_.store(false); }

 private:
  std::atomic<bool> taken_{false};
};

static SpinLock lock;
static std::atomic<int> count;

static void add() {
  lock.lock();
  const int old = count.load();
  count.store(old + 1);
  lock.unlock();
}

int main() {
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(count.load() == 2);
}
