// A flag under the lock, and the wake-up of one where two wait.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable ready;
static bool go = false;
static int started = 0;

static void runner() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!go) ready.wait(lock);
  ++started;
}

static void start() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    go = true;
  }
  ready.notify_one();
}

int main() {
  std::thread a(runner), b(runner);
  start();
  a.join();
  b.join();
  assert(started == 2);
}
