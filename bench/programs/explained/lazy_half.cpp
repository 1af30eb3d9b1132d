// A table is built at first use; the flag that says so is set before it is full.
// heddle-bug: kind=assert granularity=access class=order,atomicity set=tuned
// fix: before|after|lock|first
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::atomic<bool> ready{false};
static int squares[4];
static std::mutex building;

static void build() {
  std::lock_guard<std::mutex> hold(building);
  if (ready) return;
  ready = true;  // BUG
  for (int i = 0; i < 4; ++i) squares[i] = i * i;
}

static int square(int n) {
  if (!ready) build();
  return squares[n];
}

static void check() { assert(square(3) == 9); }

int main() {
  std::thread a(check), b(check);
  a.join();
  b.join();
}
