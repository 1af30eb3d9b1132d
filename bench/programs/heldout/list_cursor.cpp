// A cursor goes through a list under a lock that it lets go at each step; the element under it is removed.
// heddle-kernel: family=list_cursor kind=assert granularity=sync class=uaf
#include <cassert>
#include <mutex>
#include <thread>

struct Item {
  Item* next;
  bool removed;
};
Item items[3] = {{&items[1], false}, {&items[2], false}, {nullptr, false}};
Item* first = &items[0];
std::mutex lock;

void walk() {
  lock.lock();
  for (Item* at = first; at != nullptr; at = at->next) {
    assert(!at->removed);
#ifndef FIXED
    lock.unlock();  // BUG
    lock.lock();
    assert(!at->removed || at->next == nullptr);
#endif
  }
  lock.unlock();
}

void remove_middle() {
  const std::lock_guard<std::mutex> guard(lock);
  items[1].removed = true;
  items[0].next = &items[2];
}

int main() {
  std::thread a(walk), b(remove_middle);
  a.join();
  b.join();
}
