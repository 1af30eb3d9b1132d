// stop_ is atomic, so it is set without the lock: between the waiter's test and its wait.
// heddle-bug: kind=deadlock granularity=access class=lost-wakeup set=tuned
// fix: under|hold|while holding|lock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class Ticker {
 public:
  Ticker() : thread_(&Ticker::loop, this) {}
  ~Ticker() {
    stop_ = true;  // BUG
    wake_.notify_one();
    thread_.join();
  }

 private:
  void loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stop_) wake_.wait(lock);
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

int main() { Ticker ticker; }
