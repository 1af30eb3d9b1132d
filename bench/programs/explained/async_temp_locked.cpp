// A log is flushed in the background; the future of the flush is dropped at once, so its destructor waits under the lock.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: before|release|lock
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Log {
 public:
  void add(std::string text) {
    std::lock_guard<std::mutex> hold(lock_);
    lines_.push_back(std::move(text));
    if (lines_.size() >= 2) {
      std::async(std::launch::async, [this] { flush(); });  // BUG
    }
  }

 private:
  void flush() {
    std::lock_guard<std::mutex> hold(lock_);
    lines_.clear();
  }
  std::mutex lock_;
  std::vector<std::string> lines_;
};

int main() {
  Log log;
  std::thread other([&] { log.add("b"); });
  log.add("a");
  other.join();
}
