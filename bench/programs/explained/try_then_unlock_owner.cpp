// The failed try ends with the unlock of a lock that another thread has: the section is not exclusive any more.
// heddle-bug: kind=assert granularity=access class=misuse set=held
// fix: (only (if|where|when)|result|succeed).*
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::atomic<int> inside{0};

static void patient() {
  lock.lock();
  const int now = ++inside;
  assert(now == 1);
  --inside;
  lock.unlock();
}

static void hasty() {
  if (lock.try_lock()) {
    ++inside;
    --inside;
  }
  lock.unlock();  // BUG
}

int main() {
  std::thread a(patient), b(hasty), c(patient);
  a.join();
  b.join();
  c.join();
}
