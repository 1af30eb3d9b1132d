// condition_variable_any gives a recursive mutex back once; the caller of the wait holds it too.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,lost-wakeup set=tuned
// fix: recursive mutex .gate. twice
#include <condition_variable>
#include <mutex>
#include <thread>

static std::recursive_mutex gate;
static std::condition_variable_any opened;
static bool open_now;

static void wait_open() {
  std::unique_lock<std::recursive_mutex> hold(gate);
  while (!open_now) opened.wait(hold);
}

static void guest() {
  std::lock_guard<std::recursive_mutex> hold(gate);  // BUG
  wait_open();                                       // FIX
}

int main() {
  std::thread t(guest);
  {
    std::lock_guard<std::recursive_mutex> hold(gate);
    open_now = true;
  }
  opened.notify_all();
  t.join();
}
