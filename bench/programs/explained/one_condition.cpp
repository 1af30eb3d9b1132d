// Producers and consumers wait on one condition and wake one: the wake-up goes to one of their own kind.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=held
// fix: notify_all|broadcast|wake all
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Slot {
 public:
  void put(int v) {
    std::unique_lock<std::mutex> g(m_);
    changed_.wait(g, [this] { return !full_; });
    value_ = v;
    full_ = true;
    changed_.notify_one();  // BUG
  }
  int take() {
    std::unique_lock<std::mutex> g(m_);
    changed_.wait(g, [this] { return full_; });
    full_ = false;
    changed_.notify_one();  // BUG
    return value_;
  }

 private:
  std::mutex m_;
  std::condition_variable changed_;
  bool full_ = false;
  int value_ = 0;
};

int main() {
  Slot slot;
  std::vector<std::thread> all;
  for (int i = 0; i < 2; ++i) all.emplace_back([&] { slot.take(); });
  for (int i = 0; i < 2; ++i) all.emplace_back([&, i] { slot.put(i); });
  for (auto& t : all) t.join();
}
