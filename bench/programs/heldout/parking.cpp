// A worker parks when it finds the queue empty; who pushes wakes it only if it says that it is parked, and it says so after its last look.
// heddle-kernel: family=parking kind=deadlock granularity=access class=lost-wakeup
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::atomic<int> queued{0};
std::atomic<bool> parked{false};
std::mutex lock;
std::condition_variable unpark;
bool token;

void worker() {
  for (int got = 0; got < 2;) {
    if (queued.load() > 0) {
      --queued;
      ++got;
      continue;
    }
    std::unique_lock<std::mutex> guard(lock);
    parked = true;
#ifdef FIXED
    if (queued.load() > 0) {
      parked = false;
      continue;
    }
#endif
    unpark.wait(guard, [] { return token; });  // BUG
    token = false;
    parked = false;
  }
}

void push() {
  ++queued;
  if (!parked.load()) return;
  const std::lock_guard<std::mutex> guard(lock);
  token = true;
  unpark.notify_one();
}

int main() {
  std::thread w(worker);
  push();
  push();
  w.join();
}
