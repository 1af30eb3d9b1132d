// A cancelled task never keeps its promise, and who waits for it waits forever.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,lost-wakeup,order set=held
// fix: set|promise|wake|keep
#include <future>
#include <mutex>
#include <thread>

class Task {
 public:
  std::future<int> result() { return promise_.get_future(); }
  void cancel() {
    std::lock_guard<std::mutex> g(m_);
    cancelled_ = true;
  }
  void run() {
    {
      std::lock_guard<std::mutex> g(m_);
      if (cancelled_) return;  // BUG
    }
    promise_.set_value(7);  // FIX
  }

 private:
  std::mutex m_;
  bool cancelled_ = false;
  std::promise<int> promise_;
};

int main() {
  Task task;
  auto result = task.result();
  std::thread runner(&Task::run, &task);
  std::thread canceller(&Task::cancel, &task);
  result.get();
  runner.join();
  canceller.join();
}
