// stop() sets an atomic flag and notifies, and never takes the lock of the wait.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: (under|hold|with|take).*lock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<bool> stop{false};

static void worker() {
  std::unique_lock<std::mutex> hold(lock);
  changed.wait(hold, [] { return stop.load(); });  // FIX
}

int main() {
  std::thread t(worker);
  stop = true;
  changed.notify_all();  // BUG
  t.join();
}
