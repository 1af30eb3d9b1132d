// A table with open addressing: two threads find the same slot empty.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
#include <cassert>
#include <thread>

static int slots[4];

static bool insert(int key) {
  for (int i = 0; i < 4; i++) {
    int& slot = slots[(key + i) % 4];
    if (slot == 0) {  // BUG
      slot = key;     // BUG
      return true;
    }
  }
  return false;
}

int main() {
  std::thread a([] { insert(4); }), b([] { insert(8); });
  a.join();
  b.join();
  int stored = 0;
  for (int slot : slots) stored += slot != 0;
  assert(stored == 2);
}
