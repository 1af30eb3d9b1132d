// The latch counts one more than there are workers that count it down.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: count|as many
#include <condition_variable>
#include <mutex>
#include <thread>

class Latch {
 public:
  explicit Latch(int n) : left_(n) {}
  void count_down() {
    std::lock_guard<std::mutex> hold(lock_);
    if (--left_ == 0) zero_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> hold(lock_);
    zero_.wait(hold, [this] { return left_ == 0; });  // FIX
  }

 private:
  std::mutex lock_;
  std::condition_variable zero_;
  int left_;
};

int main() {
  Latch done(3);  // BUG
  std::thread a([&] { done.count_down(); }), b([&] { done.count_down(); });
  done.wait();
  a.join();
  b.join();
}
