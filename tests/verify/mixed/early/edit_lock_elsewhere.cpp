// verify: still-fails
// A thread is started before what it uses is set.
#include <cassert>
#include <mutex>
#include <thread>

class Service {
 public:
  Service() : thread_([this] { run(); }) { configure(5); }
  ~Service() { thread_.join(); }

 private:
  void configure(int limit) {
    std::lock_guard<std::mutex> hold(mutex_);
    limit_ = limit;
  }
  void run() {
    std::lock_guard<std::mutex> hold(mutex_);
    assert(limit_ == 5);
  }

  std::mutex mutex_;
  int limit_ = 0;
  std::thread thread_;
};

static std::mutex starting;

int main() {
  std::lock_guard<std::mutex> hold(starting);
  Service service;
  return 0;
}
