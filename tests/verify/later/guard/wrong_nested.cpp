// verify: fails-differently
// The second lock inside of the first.
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
      {
        std::lock_guard<std::mutex> inner(mutex_);
        sum_ = seen + 1;
      }
    }
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
