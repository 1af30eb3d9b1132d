// verify: still-fails
// A compare and exchange of which nobody looks at the answer.
#include <atomic>
#include <cassert>
#include <thread>

struct Ring {
  static const int kSize = 4;
  std::atomic<int> tail{0};
  int cells[kSize] = {};

  void push(int value) {
    int at = tail.load();
    tail.compare_exchange_strong(at, at + 1);
    cells[at % kSize] = value;
  }
};

static Ring ring;

static void produce(int first) {
  ring.push(first);
  ring.push(first + 1);
}

int main() {
  std::thread one(produce, 10);
  std::thread two(produce, 20);
  one.join();
  two.join();
  int sum = 0;
  for (int c : ring.cells) sum += c;
  assert(sum == 10 + 11 + 20 + 21);
  return 0;
}
