// Double-checked locking without the second check.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|hold|again|under
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::atomic<int*> instance{nullptr};
static int made;

static int* get() {
  if (instance.load() == nullptr) {
    std::lock_guard<std::mutex> hold(lock);  // BUG
    ++made;
    instance.store(new int(1));
  }
  return instance.load();
}

int main() {
  std::thread a([] { (void)get(); }), b([] { (void)get(); });
  a.join();
  b.join();
  assert(made == 1);
}
