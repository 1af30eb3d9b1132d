// A home-made lock: looks at the flag, then sets it.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: one (atomic )?step|exchange|test_and_set|lock
#include <atomic>
#include <cassert>
#include <thread>

class Printer {
 public:
  void print() {
    while (busy_.load()) std::this_thread::yield();  // BUG
    busy_.store(true);                               // BUG
    int inside = ++inside_;
    assert(inside == 1);
    --inside_;
    busy_.store(false);
  }

 private:
  std::atomic<bool> busy_{false};
  std::atomic<int> inside_{0};
};

int main() {
  Printer printer;
  std::thread a([&] { printer.print(); });
  std::thread b([&] { printer.print(); });
  a.join();
  b.join();
}
