// A blocking queue of one element whose take() signals the producers before it has removed the
// element; a producer woken at once finds the queue full, waits again, and nobody wakes it.
// Stands for: the early-notify mistake in "BoundedQueue"/"boundedbuffer" style suites.
// Ours differs: the signal and the removal stand in two critical sections.
// heddle-kernel: family=bounded_queue kind=deadlock granularity=sync optimum=1 class=lost-wakeup
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

class BoundedQueue {
 public:
  void put(int item) {
    std::unique_lock guard(lock_);
    while (items_.size() == 1) not_full_.wait(guard);
    items_.push_back(item);
    not_empty_.notify_one();
  }

  int take() {
    std::unique_lock guard(lock_);
    while (items_.empty()) not_empty_.wait(guard);
#ifndef FIXED
    not_full_.notify_one();  // BUG
    guard.unlock();
    guard.lock();
#endif
    int item = items_.front();
    items_.pop_front();
#ifdef FIXED
    not_full_.notify_one();
#endif
    return item;
  }

 private:
  std::mutex lock_;
  std::condition_variable not_empty_, not_full_;
  std::deque<int> items_;
};

}  // namespace

int main() {
  BoundedQueue queue;
  int sum = 0;
  std::thread producer([&] {
    for (int i = 1; i <= 2; i++) queue.put(i);
  });
  std::thread consumer([&] {
    for (int i = 1; i <= 2; i++) sum += queue.take();
  });
  producer.join();
  consumer.join();
  return sum != 3;
}
