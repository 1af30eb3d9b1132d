// verify: still-fails
// Idle is when the queue is empty; a task may still run.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

struct Work {
  int input = 0;
  int output = 0;
};

class Engine {
 public:
  Engine() : thread_([this] { serve(); }) {}
  ~Engine() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  void add(std::shared_ptr<Work> task) {
    std::lock_guard<std::mutex> hold(mutex_);
    waiting_.push_back(task);
    wake_.notify_all();
  }
  void drain() {
    std::unique_lock<std::mutex> hold(mutex_);
    while (!waiting_.empty()) idle_.wait(hold);
  }
  int result(const Work& task) {
    std::lock_guard<std::mutex> hold(mutex_);
    return task.output;
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> hold(mutex_);
    for (;;) {
      while (waiting_.empty() && !ended_) wake_.wait(hold);
      if (waiting_.empty()) return;
      std::shared_ptr<Work> task = waiting_.front();
      waiting_.pop_front();
      idle_.notify_all();
      hold.unlock();
      int value = task->input * 2;
      hold.lock();
      task->output = value;
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::shared_ptr<Work>> waiting_;
  bool ended_ = false;
  std::thread thread_;
};

int main() {
  Engine engine;
  auto task = std::make_shared<Work>();
  task->input = 21;
  engine.add(task);
  engine.drain();
  assert(engine.result(*task) == 42);
}
