// Two threads guard one counter with different locks.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=tuned
// fix: (same|one|common) .*lock|lock in common
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex red, blue;
static int total;

static void add_red() {
  std::lock_guard<std::mutex> hold(red);
  total += 1;  // BUG
}

static void add_blue() {
  std::lock_guard<std::mutex> hold(blue);
  total += 1;  // BUG
}

int main() {
  std::thread a(add_red), b(add_blue);
  a.join();
  b.join();
  assert(total == 2);
}
