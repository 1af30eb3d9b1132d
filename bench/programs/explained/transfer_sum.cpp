// A transfer in two critical sections; the auditor comes in between.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|together|hold
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int a = 50, b = 50;

static void add(int& account, int amount) {
  std::lock_guard<std::mutex> hold(lock);
  account += amount;
}

static void transfer() {
  add(a, -10);
  add(b, 10);  // BUG
}

static void audit() {
  std::lock_guard<std::mutex> hold(lock);
  assert(a + b == 100);
}

int main() {
  std::thread x(transfer), y(audit);
  x.join();
  y.join();
}
