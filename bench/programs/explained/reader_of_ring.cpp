// The producer moves the index before it has stored the item.
// heddle-bug: kind=assert granularity=access class=order set=held
// fix: before|first
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> slots[4], tail;

static void produce() {
  const int at = tail.load();
  tail.store(at + 1);  // BUG
  slots[at].store(7);  // BUG
}

static void consume() {
  if (tail.load() == 1) assert(slots[0].load() == 7);
}

int main() {
  std::thread a(produce), b(consume);
  a.join();
  b.join();
}
