// The same, where single accesses are points: the test and the wait are one critical section, the store is in none.
// heddle-bug: kind=deadlock granularity=access class=lost-wakeup set=held
// fix: (under|hold|with|take).*lock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Queue {
  std::mutex lock;
  std::condition_variable changed;
  std::atomic<bool> closed{false};

  void drain() {
    std::unique_lock<std::mutex> hold(lock);
    while (!closed.load()) changed.wait(hold);
  }
  void close() {
    closed.store(true);    // BUG
    changed.notify_all();  // BUG
  }
};

int main() {
  Queue queue;
  std::thread t([&] { queue.drain(); });
  queue.close();
  t.join();
}
