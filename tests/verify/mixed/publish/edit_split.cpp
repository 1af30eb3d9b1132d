// verify: still-fails
// The count is raised before the entry is there.
#include <atomic>
#include <cassert>
#include <thread>

struct Log {
  std::atomic<int> count{0};
  std::atomic<int> entries[8] = {};

  void append(int value) { put(reserve(), value); }
  int reserve() { return count.fetch_add(1); }
  void put(int at, int value) { entries[at].store(value); }
  int last() const {
    int n = count.load();
    return n == 0 ? -1 : entries[n - 1].load();
  }
};

static Log journal;

static void writer() {
  for (int i = 1; i <= 2; ++i) journal.append(i);
}

static void reader() {
  int seen = journal.last();
  assert(seen != 0 && "an entry that was counted is empty");
}

int main() {
  std::thread a(writer), b(reader);
  a.join();
  b.join();
  assert(journal.last() == 2);
}
