// stop() joins the worker while it holds the lock that the worker needs.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: release|unlock|before|join
#include <mutex>
#include <thread>

class Poller {
 public:
  void start() { thread_ = std::thread(&Poller::loop, this); }
  void stop() {
    std::lock_guard<std::mutex> g(state_);
    running_ = false;
    thread_.join();  // BUG
  }

 private:
  void loop() {
    for (int i = 0; i < 2; ++i) {
      std::lock_guard<std::mutex> g(state_);
      if (!running_) return;
      ++polls_;
    }
  }
  std::mutex state_;
  bool running_ = true;
  int polls_ = 0;
  std::thread thread_;
};

int main() {
  Poller poller;
  poller.start();
  poller.stop();
}
