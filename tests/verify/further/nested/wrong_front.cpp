// verify: still-fails
// Tasks of a pool wait for tasks that they submitted to the same pool.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kThreads = 2;

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    more_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  void submit(std::function<void()> task) {
    std::lock_guard lock(mutex_);
    tasks_.push_front(std::move(task));
    more_.notify_all();
  }
  bool run_one() {
    std::function<void()> task;
    {
      std::lock_guard lock(mutex_);
      if (tasks_.empty()) return false;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
    return true;
  }

 private:
  void work() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        more_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
      }
      run_one();
    }
  }
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};

class Latch {
 public:
  explicit Latch(int count) : count_(count) {}
  void done() {
    std::lock_guard lock(mutex_);
    if (--count_ == 0) zero_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    zero_.wait(lock, [this] { return count_ == 0; });
  }
  bool ready() {
    std::lock_guard lock(mutex_);
    return count_ == 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable zero_;
  int count_;
};

static void outer(Pool& pool, Latch& all) {
  Latch inner(1);
  pool.submit([&inner] { inner.done(); });
  inner.wait();
  all.done();
}

int main() {
  Latch all(2);
  {
    Pool pool(kThreads);
    for (int i = 0; i < 2; ++i) pool.submit([&] { outer(pool, all); });
    all.wait();
  }
}
