// Producers and consumers wait in one monitor of a portable runtime; notify wakes one waiter, who may be of the wrong sort.
// heddle-kernel: family=monitor_notify kind=deadlock granularity=sync class=lost-wakeup
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

struct Monitor {
  std::mutex lock;
  std::condition_variable changed;
  void notify() {
#ifdef FIXED
    changed.notify_all();
#else
    changed.notify_one();  // BUG
#endif
  }
} monitor;
int slots = 0;

void put() {
  std::unique_lock<std::mutex> guard(monitor.lock);
  while (slots == 1) monitor.changed.wait(guard);
  ++slots;
  monitor.notify();
}

void take() {
  std::unique_lock<std::mutex> guard(monitor.lock);
  while (slots == 0) monitor.changed.wait(guard);
  --slots;
  monitor.notify();
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back(take);
    threads.emplace_back(put);
  }
  threads.emplace_back(take);
  threads.emplace_back(put);
  for (std::thread& t : threads) t.join();
}
