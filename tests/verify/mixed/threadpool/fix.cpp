// verify: fixed
// A pool is told to stop between a worker's look at the flag and its wait.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Pool() { stop(); }
  void add(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }

 private:
  void stop() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : workers_) t.join();
  }
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> hold(mutex_);
        while (tasks_.empty()) {
          if (stopping_) return;
          wake_.wait(hold);
        }
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

static std::atomic<int> done{0};

int main() {
  {
    Pool pool(2);
    pool.add([] { ++done; });
  }
  assert(done == 1);
}
