// A pool of two workers; stop() wakes only one of them.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=tuned
// fix: notify_all|broadcast|wake all
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int n) {
    for (int i = 0; i < n; ++i) workers_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> hold(m_);
      stopping_ = true;
    }
    work_.notify_one();  // BUG
    for (auto& t : workers_) t.join();
  }
  void submit(std::function<void()> job) {
    std::lock_guard<std::mutex> hold(m_);
    jobs_.push_back(std::move(job));
    work_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> hold(m_);
        work_.wait(hold, [this] { return stopping_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }
  std::mutex m_;
  std::condition_variable work_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

int main() {
  int done = 0;
  Pool pool(2);
  pool.submit([&] { ++done; });
}
