// A work-stealing queue whose state says whether it is empty, in use or closed: a thief sees "in use", the owner takes the last item and closes, the thief takes what is no longer there.
// heddle-kernel: family=deque_state kind=assert granularity=access class=atomicity
#include <atomic>
#include <cassert>
#include <thread>

enum State { kEmpty, kUsed, kClosed };
std::atomic<int> state{kEmpty}, head{0}, tail{0};
std::atomic<int> items[4];
std::atomic<int> taken{0};

void push(int item) {
  items[tail.load() % 4] = item;
  tail.fetch_add(1);
  state = kUsed;
}

bool claim(int from) {
#ifdef FIXED
  int expected = from;
  return from < tail.load() && head.compare_exchange_strong(expected, from + 1);
#else
  if (from >= tail.load()) return false;
  head.store(from + 1);  // BUG
  return true;
#endif
}

void owner() {
  push(1);
  push(2);
  const int from = head.load();
  if (claim(from)) taken.fetch_add(items[from % 4]);
  if (head.load() == tail.load()) state = kClosed;
}

void thief() {
  if (state.load() != kUsed) return;
  const int from = head.load();
  if (claim(from)) taken.fetch_add(items[from % 4]);
}

int main() {
  std::thread a(owner), b(thief), c(thief);
  a.join();
  b.join();
  c.join();
  assert(taken.load() <= 3);
}
