// Waits for a change that may have happened before it began to wait.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: (test|condition|flag|predicate|loop|state).*
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable go;

static void runner() {
  std::unique_lock<std::mutex> hold(lock);
  go.wait(hold);  // BUG
}

static void starter() {
  std::lock_guard<std::mutex> hold(lock);
  go.notify_one();
}

int main() {
  std::thread a(runner), b(starter);
  a.join();
  b.join();
}
