// The worker tests the stop token only between jobs: a request to stop does not wake it from the wait for one.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=held
// fix: stop|wake|notify|signal
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

class Printer {
 public:
  Printer() : worker_([this](std::stop_token stop) { run(stop); }) {}
  void print(int page) {
    std::lock_guard<std::mutex> hold(lock_);
    pages_.push(page);
    more_.notify_one();
  }

 private:
  void run(std::stop_token stop) {
    while (!stop.stop_requested()) {
      std::unique_lock<std::mutex> hold(lock_);
      more_.wait(hold, [&] { return !pages_.empty(); });  // BUG
      pages_.pop();
    }
  }
  std::mutex lock_;
  std::condition_variable more_;
  std::queue<int> pages_;
  std::jthread worker_;
};

int main() {
  Printer printer;
  printer.print(1);
}
