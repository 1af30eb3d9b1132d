// verify: fails-differently
// Nobody wakes who waits for the callback.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Owner {
  std::mutex mutex;
  bool alive = true;
  int ticks = 0;
  void tick() {
    std::lock_guard<std::mutex> guard(mutex);
    assert(alive);
    ++ticks;
  }
  void retire() {
    std::lock_guard<std::mutex> guard(mutex);
    alive = false;
  }
};

class Timer {
 public:
  void fire(Owner& owner) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      if (cancelled_) return;
      running_ = true;
    }
    owner.tick();
    {
      std::lock_guard<std::mutex> guard(mutex_);
      running_ = false;
    }
  }
  void cancel() {
    std::unique_lock<std::mutex> guard(mutex_);
    cancelled_ = true;
    while (running_) idle_.wait(guard);
  }

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  bool cancelled_ = false;
  bool running_ = false;
};

static Timer timer;
static Owner owner;

int main() {
  std::thread a([] { timer.fire(owner); });
  timer.cancel();
  owner.retire();
  a.join();
  return 0;
}
