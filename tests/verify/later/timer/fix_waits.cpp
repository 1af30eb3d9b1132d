// verify: fixed
// Waits for the callback.
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
    idle_.notify_all();
  }
  void cancel() {
    std::unique_lock<std::mutex> guard(mutex_);
    cancelled_ = true;
    idle_.wait(guard, [this] { return !running_; });
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
