// Joins while it holds the lock that the joined thread needs.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: (join|release|give).*
#include <mutex>
#include <thread>

static std::mutex lock;
static int done;

static void worker() {
  std::lock_guard<std::mutex> hold(lock);
  done = 1;
}

int main() {
  std::thread t(worker);
  {
    std::lock_guard<std::mutex> hold(lock);
    if (!done) t.join();  // BUG
  }
  if (t.joinable()) t.join();
}
