// Two submitters both find the pool too small and both start a thread.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: hold|one critical section
#include <cassert>
#include <mutex>
#include <thread>

class Pool {
 public:
  void submit() {
    if (!room()) return;
    start();
  }
  int size() {
    std::lock_guard<std::mutex> g(m_);
    return size_;
  }

 private:
  bool room() {
    std::lock_guard<std::mutex> g(m_);
    return size_ < kMost;
  }
  void start() {
    std::lock_guard<std::mutex> g(m_);  // BUG
    ++size_;
  }
  static constexpr int kMost = 1;
  std::mutex m_;
  int size_ = 0;
};

int main() {
  Pool pool;
  std::thread a(&Pool::submit, &pool), b(&Pool::submit, &pool);
  a.join();
  b.join();
  assert(pool.size() <= 1);
}
