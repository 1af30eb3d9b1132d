// verify: still-fails
// A executor is told to stop between a worker's look at the flag and its wait.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Executor {
 public:
  explicit Executor(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~Executor() { stop(); }
  void add(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      queue_.push_back(std::move(task));
    }
    bell_.notify_one();
  }

 private:
  void stop() {
    closed_ = true;
    bell_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
  void serve() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> hold(mutex_);
        while (queue_.empty()) {
          if (closed_) return;
          bell_.wait(hold);
        }
        task = std::move(queue_.front());
        queue_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable bell_;
  std::deque<std::function<void()>> queue_;
  std::atomic<bool> closed_{false};
  std::vector<std::thread> threads_;
};

static std::atomic<int> done{0};

int main() {
  {
    Executor executor(2);
    executor.add([] { ++done; });
  }
  assert(done == 1);
}
