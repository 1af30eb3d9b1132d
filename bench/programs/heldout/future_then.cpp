// A continuation is added to a future: it looks whether the value is there, and if not stores itself; the value comes in between and finds nobody.
// heddle-kernel: family=future_then kind=assert granularity=sync class=lost-wakeup
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex lock;
bool has_value, has_continuation;
std::atomic<int> called{0};

void then() {
  {
    const std::lock_guard<std::mutex> guard(lock);
    if (has_value) {
      ++called;
      return;
    }
#ifdef FIXED
    has_continuation = true;
    return;
#endif
  }
  const std::lock_guard<std::mutex> guard(lock);
  has_continuation = true;  // BUG
}

void set() {
  bool call;
  {
    const std::lock_guard<std::mutex> guard(lock);
    has_value = true;
    call = has_continuation;
  }
  if (call) ++called;
}

int main() {
  std::thread a(then), b(set);
  a.join();
  b.join();
  assert(called.load() == 1);
}
