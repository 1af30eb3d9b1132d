// The workers are told to stop without their lock.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int n) {
    for (int i = 0; i < n; ++i) workers_.emplace_back([this] { loop(); });
  }
  ~Pool() {
    stop_ = true;
    ready_.notify_all();
    for (auto& w : workers_) w.join();
  }
  void post(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      jobs_.push_back(std::move(job));
    }
    ready_.notify_one();
  }

 private:
  void loop() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> guard(mutex_);
        while (jobs_.empty() && !stop_) ready_.wait(guard);
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> jobs_;
  volatile bool stop_ = false;
  std::vector<std::thread> workers_;
};

int main() {
  int done[2] = {0, 0};
  {
    Pool pool(2);
    pool.post([&] { done[0] = 1; });
    pool.post([&] { done[1] = 1; });
  }
  std::printf("%d\n", done[0] + done[1]);
  return 0;
}
