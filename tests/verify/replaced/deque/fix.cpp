// verify-build: heddle-cc
// verify: fixed
// The owner takes the lock.
#include <cassert>
#include <mutex>
#include <thread>

class Deque {
 public:
  void push(int v) { items_[bottom_++] = v; }
  int pop() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (top_ >= bottom_) return -1;
    --bottom_;
    return items_[bottom_];
  }
  int steal() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (top_ >= bottom_) return -1;
    return items_[top_++];
  }

 private:
  std::mutex mutex_;
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
