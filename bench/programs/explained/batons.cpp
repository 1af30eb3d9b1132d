// Workers count themselves out; the last one wakes the owner, but it is decided outside of the lock who that is.
// heddle-bug: kind=deadlock granularity=access class=lost-wakeup,atomicity,race,order set=held
// fix: lock|atomic|under|loop|one step
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable all_done;
static int running = 2;

static void work() {
  running = running - 1;  // BUG
  if (running == 0) {
    std::lock_guard<std::mutex> hold(lock);
    all_done.notify_one();
  }
}

int main() {
  std::thread a(work), b(work);
  {
    std::unique_lock<std::mutex> hold(lock);
    while (running != 0) all_done.wait(hold);  // FIX
  }
  a.join();
  b.join();
}
