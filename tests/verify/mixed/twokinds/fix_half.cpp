// verify: fixed
// Who puts wakes all: where something lies, only such wait that want to put.
// One condition for two kinds of waiters, and one of them is woken.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Slot {
  std::mutex mutex;
  std::condition_variable moved;
  int items = 0;

  void put() {
    std::unique_lock<std::mutex> hold(mutex);
    while (items == 1) moved.wait(hold);
    ++items;
    moved.notify_all();
  }
  void get() {
    std::unique_lock<std::mutex> hold(mutex);
    while (items == 0) moved.wait(hold);
    --items;
    moved.notify_one();
  }
};

int main() {
  Slot slot;
  std::thread putter([&] {
    slot.put();
    slot.put();
  });
  std::thread first([&] { slot.get(); });
  std::thread second([&] { slot.get(); });
  std::thread third([&] {
    slot.put();
    slot.get();
  });
  putter.join();
  first.join();
  second.join();
  third.join();
  assert(slot.items == 0);
}
