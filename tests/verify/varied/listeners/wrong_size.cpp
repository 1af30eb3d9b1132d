// verify: still-fails|fails-differently
// Only its size is asked for under the lock.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<int> listeners;
static int sum;

static void add(int listener) {
  std::lock_guard<std::mutex> guard(mutex);
  listeners.push_back(listener);
}

static void notify() {
  size_t count;
  {
    std::lock_guard<std::mutex> guard(mutex);
    count = listeners.size();
  }
  for (size_t i = 0; i < count; ++i) {
    const int listener = listeners[i];
    assert(listener == 5);
    sum += listener;
  }
}

int main() {
  add(5);
  std::thread a(notify), b(add, 5);
  a.join();
  b.join();
}
