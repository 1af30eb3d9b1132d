// Stopping is requested with the lock held, and the callback that stopping runs takes that lock.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: already|release|before
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

class Downloads {
 public:
  void wait_for_stop(std::stop_token stop) {
    std::stop_callback clean(stop, [this] { clear(); });
    while (!stop.stop_requested()) std::this_thread::yield();
  }
  void cancel(std::stop_source& source) {
    std::lock_guard<std::mutex> hold(lock_);
    source.request_stop();  // BUG
  }

 private:
  void clear() {
    std::lock_guard<std::mutex> hold(lock_);  // BUG
    parts_.clear();
  }
  std::mutex lock_;
  std::vector<int> parts_;
};

int main() {
  Downloads downloads;
  std::stop_source source;
  std::thread t([&] { downloads.wait_for_stop(source.get_token()); });
  downloads.cancel(source);
  t.join();
}
