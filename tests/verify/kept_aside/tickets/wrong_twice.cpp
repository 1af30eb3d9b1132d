// verify: still-fails

#include <cassert>
#include <mutex>
#include <thread>

namespace {

class Tickets {
 public:
  int peek() {
    std::unique_lock<std::mutex> guard(mutex_);
    return next_;
  }
  void take(int number) {
    std::unique_lock<std::mutex> guard(mutex_);
    assert(number == next_);
    next_ = number + 1;
  }

 private:
  std::mutex mutex_;
  int next_ = 0;
};

Tickets tickets;

void buyer() {
  const int number = tickets.peek();
  const int again = tickets.peek();
  tickets.take(again > number ? again : number);
}

}  // namespace

int main() {
  std::thread one(buyer);
  std::thread two(buyer);
  one.join();
  two.join();
  return 0;
}
