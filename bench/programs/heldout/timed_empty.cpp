// A wait of at most 10 ms, after which the queue is used whether it has something or not.
// heddle-kernel: family=timed_empty kind=assert granularity=sync class=order
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable filled;
int queued;

void consumer() {
  std::unique_lock<std::mutex> guard(lock);
#ifdef FIXED
  filled.wait(guard, [] { return queued > 0; });
#else
  filled.wait_for(guard, std::chrono::milliseconds(10), [] { return queued > 0; });  // BUG
#endif
  --queued;
  assert(queued >= 0);
}

void producer() {
  const std::lock_guard<std::mutex> guard(lock);
  ++queued;
  filled.notify_one();
}

int main() {
  std::thread a(consumer), b(producer);
  a.join();
  b.join();
}
