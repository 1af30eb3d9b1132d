// An event is set and at once reset: a waiter that was woken finds it unset again and sleeps on.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=tuned
// fix: reset|before|set back|count|generation|taken back|until|after
#include <condition_variable>
#include <mutex>
#include <thread>

class Event {
 public:
  void wait() {
    std::unique_lock<std::mutex> hold(lock_);
    while (!set_) changed_.wait(hold);
  }
  void set() {
    std::lock_guard<std::mutex> hold(lock_);
    set_ = true;
    changed_.notify_all();
  }
  void reset() {
    std::lock_guard<std::mutex> hold(lock_);
    set_ = false;  // BUG
  }
  void pulse() {
    set();
    reset();  // BUG
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool set_ = false;
};

int main() {
  Event event;
  std::thread waiter([&] { event.wait(); });
  event.pulse();
  waiter.join();
}
