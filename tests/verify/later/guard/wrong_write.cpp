// verify: still-fails
// The write is outside of its block: a plain build does not show it.
#include <cassert>
#include <mutex>
#include <thread>

class Total {
 public:
  void add() {
    int seen = 0;
    {
      std::lock_guard<std::mutex> guard(mutex_);
      seen = sum_;
    }
    sum_ = seen + 1;
  }
  int sum() {
    std::lock_guard<std::mutex> guard(mutex_);
    return sum_;
  }

 private:
  std::mutex mutex_;
  int sum_ = 0;
};

static Total total;

int main() {
  std::thread one([] { total.add(); });
  std::thread two([] { total.add(); });
  one.join();
  two.join();
  assert(total.sum() == 2);
  return 0;
}
