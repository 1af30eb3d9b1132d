// verify: still-fails
// The used is raised before the entry is there.
#include <atomic>
#include <cassert>
#include <thread>

struct Record {
  std::atomic<int> used{0};
  std::atomic<int> slots[8] = {};

  void append(int value) {
    int at = used.fetch_add(1);
    slots[at].store(value);
  }
  int last() const {
    int n = used.load();
    return n == 0 ? -1 : slots[n - 1].load();
  }
};

static Record history;

static void filler() {
  for (int i = 1; i <= 2; ++i) history.append(i);
}

static void reader() {
  int seen = history.last();
  assert(seen != 0 && "an entry that was counted is empty");
}

int main() {
  std::thread a(filler), b(reader);
  a.join();
  b.join();
  assert(history.last() == 2);
}
