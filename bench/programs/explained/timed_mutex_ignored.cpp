// try_lock_for may give up; the update goes on without the lock.
// heddle-bug: kind=misuse,assert granularity=sync class=misuse set=tuned
// fix: only|result|time.?out|succe
#include <chrono>
#include <mutex>
#include <thread>

struct Meter {
  std::timed_mutex mutex;
  long total = 0;
  void add(long n) {
    mutex.try_lock_for(std::chrono::milliseconds(20));  // BUG
    total += n;
    mutex.unlock();  // FIX
  }
};

int main() {
  Meter meter;
  std::thread slow([&] {
    std::lock_guard<std::timed_mutex> hold(meter.mutex);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    meter.total = 0;
  });
  std::thread adder([&] { meter.add(3); });
  slow.join();
  adder.join();
}
