// A monitor that may be entered again by its owner: the owner's name is compared without the inner lock, and exit clears it after the inner lock is free.
// heddle-kernel: family=monitor_entry kind=assert granularity=access class=atomicity
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Monitor {
 public:
  void enter(int me) {
    if (owner_.load() == me) {
      ++count_;
      return;
    }
    inner_.lock();
    owner_ = me;
    count_ = 1;
  }
  void exit(int me) {
    (void)me;
    if (--count_ > 0) return;
#ifdef FIXED
    owner_ = 0;
    inner_.unlock();
#else
    inner_.unlock();
    owner_ = 0;  // BUG
#endif
  }
  int owner() const { return owner_.load(); }

 private:
  std::mutex inner_;
  std::atomic<int> owner_{0};
  int count_ = 0;
} monitor;

void use(int me) {
  for (int i = 0; i < 2; ++i) {
    monitor.enter(me);
    assert(monitor.owner() == me);
    monitor.exit(me);
  }
}

int main() {
  std::thread a(use, 1), b(use, 2);
  a.join();
  b.join();
}
