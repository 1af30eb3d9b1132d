// The stop flag is atomic and set without the lock of the condition: the worker has looked at it and not yet begun to wait.
// heddle-bug: kind=deadlock granularity=access class=lost-wakeup set=held
// fix: lock
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Consumer {
 public:
  Consumer() : thread_([this] { run(); }) {}
  ~Consumer() {
    stop_.store(true);  // BUG
    ready_.notify_all();
    thread_.join();
  }

 private:
  void run() {
    std::unique_lock<std::mutex> g(lock_);
    while (!stop_.load()) {
      while (!stop_.load() && items_.empty()) ready_.wait(g);
      if (!items_.empty()) items_.pop_front();
    }
  }
  std::mutex lock_;
  std::condition_variable ready_;
  std::deque<int> items_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

int main() { Consumer consumer; }
