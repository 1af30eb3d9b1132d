// Two wait for the gate to open, and one of them is woken.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=tuned
// fix: all|broadcast
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable opened;
static bool open_gate;

static void visitor() {
  std::unique_lock<std::mutex> hold(lock);
  while (!open_gate) opened.wait(hold);
}

static void keeper() {
  std::lock_guard<std::mutex> hold(lock);
  open_gate = true;
  opened.notify_one();  // BUG
}

int main() {
  std::thread a(visitor), b(visitor), c(keeper);
  a.join();
  b.join();
  c.join();
}
