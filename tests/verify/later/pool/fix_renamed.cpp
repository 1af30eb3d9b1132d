// verify: fixed
// Told under the lock, in a function of its own, and everything has another name.
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
    shutDown();
    for (auto& w : workers_) w.join();
  }
  void post(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      tasks.push_back(std::move(job));
    }
    wake.notify_one();
  }

 private:
  void shutDown() {
    std::unique_lock<std::mutex> hold(mutex_);
    finished = true;
    wake.notify_all();
  }

  void loop() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> guard(mutex_);
        while (tasks.empty() && !finished) wake.wait(guard);
        if (tasks.empty()) return;
        job = std::move(tasks.front());
        tasks.pop_front();
      }
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;
  volatile bool finished = false;
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
