// Two atomic counters whose sum must not change; the move is two steps.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: (one|same) (critical section|lock)|together
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> left{5}, right{5};

static void shift() {
  left.fetch_sub(1);   // BUG
  right.fetch_add(1);  // BUG
}

static void audit() {
  const int sum = left.load() + right.load();
  assert(sum == 10);
}

int main() {
  std::thread a(shift), b(audit);
  a.join();
  b.join();
}
