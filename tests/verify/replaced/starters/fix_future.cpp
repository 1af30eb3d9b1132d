// verify: fixed|cannot-tell
// A shared future instead.
#include <cassert>
#include <future>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::promise<void> go;
static std::shared_future<void> ready = go.get_future().share();
static int started = 0;

static void runner() {
  ready.wait();
  std::lock_guard<std::mutex> lock(mutex);
  ++started;
}

static void start() { go.set_value(); }

int main() {
  std::thread a(runner), b(runner);
  start();
  a.join();
  b.join();
  assert(started == 2);
}
