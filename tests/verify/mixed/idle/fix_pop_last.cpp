// verify: fixed
// Idle is when the queue is empty; a task may still run.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

struct Task {
  int input = 0;
  int output = 0;
};

class Runner {
 public:
  Runner() : thread_([this] { work(); }) {}
  ~Runner() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      closed_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  void add(std::shared_ptr<Task> task) {
    std::lock_guard<std::mutex> hold(mutex_);
    queue_.push_back(task);
    wake_.notify_all();
  }
  void wait_idle() {
    std::unique_lock<std::mutex> hold(mutex_);
    while (!queue_.empty()) idle_.wait(hold);
  }
  int result(const Task& task) {
    std::lock_guard<std::mutex> hold(mutex_);
    return task.output;
  }

 private:
  void work() {
    std::unique_lock<std::mutex> hold(mutex_);
    for (;;) {
      while (queue_.empty() && !closed_) wake_.wait(hold);
      if (queue_.empty()) return;
      std::shared_ptr<Task> task = queue_.front();
      hold.unlock();
      int value = task->input * 2;
      hold.lock();
      task->output = value;
      queue_.pop_front();
      idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::shared_ptr<Task>> queue_;
  bool closed_ = false;
  std::thread thread_;
};

int main() {
  Runner runner;
  auto task = std::make_shared<Task>();
  task->input = 21;
  runner.add(task);
  runner.wait_idle();
  assert(runner.result(*task) == 42);
}
