// A slot counter is written back by both sides: an item is lost only if each of them is interrupted.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
// fix: one (lock|critical section|atomic step|step)|same lock|hold|atomic
#include <cassert>
#include <thread>

struct Ring {
  int items[4] = {};
  int head = 0, tail = 0;
  int count = 0;

  void push(int item) {
    items[tail++ % 4] = item;
    count = count + 1;  // BUG
  }
  bool pop(int& item) {
    if (count == 0) return false;
    item = items[head++ % 4];
    count = count - 1;  // BUG
    return true;
  }
};

int main() {
  Ring ring;
  ring.push(1);
  std::thread writer([&] { ring.push(2); });
  std::thread reader([&] {
    int item = 0;
    ring.pop(item);
  });
  writer.join();
  reader.join();
  assert(ring.count == ring.tail - ring.head);
}
