// verify: fixed

#include <cassert>
#include <mutex>
#include <thread>

namespace {

class Tickets {
 public:
  int take() {
    std::unique_lock<std::mutex> guard(mutex_);
    const int number = next_;
    next_ = number + 1;
    assert(number + 1 == next_);
    return number;
  }

 private:
  std::mutex mutex_;
  int next_ = 0;
};

Tickets tickets;

void buyer() { tickets.take(); }

}  // namespace

int main() {
  std::thread one(buyer);
  std::thread two(buyer);
  one.join();
  two.join();
  return 0;
}
