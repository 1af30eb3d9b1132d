// verify: still-fails
// One condition for two kinds of waiters, and one of them is woken.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Cell {
  std::mutex mutex;
  std::condition_variable changed;
  int filled = 0;

  void put() {
    std::unique_lock<std::mutex> hold(mutex);
    while (filled == 1) changed.wait(hold);
    ++filled;
    changed.notify_one();
  }
  void get() {
    std::unique_lock<std::mutex> hold(mutex);
    while (filled == 0) changed.wait(hold);
    --filled;
    changed.notify_one();
  }
};

int main() {
  Cell cell;
  std::thread putter([&] {
    cell.put();
    cell.put();
  });
  std::thread first([&] { cell.get(); });
  std::thread second([&] { cell.get(); });
  std::thread third([&] {
    cell.put();
    cell.get();
  });
  putter.join();
  first.join();
  second.join();
  third.join();
  assert(cell.filled == 0);
}
