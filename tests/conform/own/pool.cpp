// A thread pool in the manner of small header-only ones: a queue under one mutex, a condition for work and one for the end of it, futures,
// pausing, and a pool that is resized while tasks wait.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(unsigned count) { start(count); }
  ~Pool() {
    wait();
    stop();
  }

  template <typename Task>
  auto submit(Task task) {
    using Result = decltype(task());
    auto packaged = std::make_shared<std::packaged_task<Result()>>(std::move(task));
    std::future<Result> result = packaged->get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push([packaged] { (*packaged)(); });
    }
    work_.notify_one();
    return result;
  }

  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    waiting_ = true;
    done_.wait(lock, [this] { return running_ == 0 && (paused_ || tasks_.empty()); });
    waiting_ = false;
  }

  void pause() {
    std::lock_guard<std::mutex> lock(mutex_);
    paused_ = true;
  }

  void resume() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      paused_ = false;
    }
    work_.notify_all();
  }

  void resize(unsigned count) {
    pause();
    wait();
    stop();
    start(count);
    resume();
  }

 private:
  void start(unsigned count) {
    ending_ = false;
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
  }

  void stop() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    work_.notify_all();
    for (std::thread& t : threads_) t.join();
    threads_.clear();
  }

  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      work_.wait(lock, [this] { return ending_ || (!paused_ && !tasks_.empty()); });
      if (ending_) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop();
      ++running_;
      lock.unlock();
      task();
      lock.lock();
      --running_;
      if (waiting_ && running_ == 0 && (paused_ || tasks_.empty())) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::queue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  unsigned running_ = 0;
  bool ending_ = false, paused_ = false, waiting_ = false;
};

static void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

int main() {
  Pool pool(4);
  std::vector<std::future<int>> squares;
  for (int i = 0; i < 100; ++i) squares.push_back(pool.submit([i] { return i * i; }));
  int sum = 0;
  for (auto& f : squares) sum += f.get();
  require(sum == 328350, "sum of squares");

  std::atomic<int> count{0};
  for (int i = 0; i < 50; ++i) pool.submit([&count] { ++count; });
  pool.wait();
  require(count == 50, "all tasks ran");

  pool.pause();
  for (int i = 0; i < 20; ++i) pool.submit([&count] { ++count; });
  require(count == 50, "a paused pool runs nothing");
  pool.resize(2);
  pool.wait();
  require(count == 70, "tasks survive a change of size");

  std::future<int> fails = pool.submit([]() -> int { throw std::runtime_error("no"); });
  bool thrown = false;
  try {
    fails.get();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  require(thrown, "an exception reaches its future");
  std::puts("right");
}
