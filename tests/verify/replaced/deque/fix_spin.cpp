// verify-build: heddle-cc
// verify: fixed
// A hand-made spinlock instead of the mutex.
#include <atomic>
#include <cassert>
#include <thread>

struct Hold {
  explicit Hold(std::atomic<bool>& b) : busy(b) {
    while (busy.exchange(true)) std::this_thread::yield();
  }
  ~Hold() { busy.store(false); }
  std::atomic<bool>& busy;
};

class Deque {
 public:
  void push(int v) { items_[bottom_++] = v; }
  int pop() {
    Hold lock(busy_);
    if (top_ >= bottom_) return -1;
    --bottom_;
    return items_[bottom_];
  }
  int steal() {
    Hold lock(busy_);
    if (top_ >= bottom_) return -1;
    return items_[top_++];
  }

 private:
  std::atomic<bool> busy_{false};
  int top_ = 0, bottom_ = 0;
  int items_[4];
};

int main() {
  Deque d;
  d.push(7);
  int owner = -1, thief = -1;
  std::thread t([&] { thief = d.steal(); });
  owner = d.pop();
  t.join();
  assert((owner == 7) + (thief == 7) == 1);
}
