// A lock of our own: the flag is looked at and then set, instead of being exchanged.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
// fix: one (atomic )?step|exchange|mutex
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

static SpinLock guard;
static int tickets = 5;

static void sell() {
  guard.lock();
  const int left = tickets;
  tickets = left - 1;
  guard.unlock();
}

int main() {
  std::thread a(sell), b(sell);
  a.join();
  b.join();
  assert(tickets == 3);
}
