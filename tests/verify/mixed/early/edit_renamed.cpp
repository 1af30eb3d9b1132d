// verify: still-fails
// A thread is started before what it uses is set.
#include <cassert>
#include <mutex>
#include <thread>

class Daemon {
 public:
  Daemon() : thread_([this] { loop(); }) { set_up(5); }
  ~Daemon() { thread_.join(); }

 private:
  void set_up(int limit) {
    std::lock_guard<std::mutex> hold(mutex_);
    most_ = limit;
  }
  void loop() {
    std::lock_guard<std::mutex> hold(mutex_);
    assert(most_ == 5);
  }

  std::mutex mutex_;
  int most_ = 0;
  std::thread thread_;
};

int main() {
  Daemon daemon;
  return 0;
}
