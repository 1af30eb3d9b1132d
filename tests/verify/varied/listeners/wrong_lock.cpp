// verify: still-fails
// Read under another lock.
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

static std::mutex readers;

static void notify() {
  std::lock_guard<std::mutex> guard(readers);
  for (size_t i = 0; i < listeners.size(); ++i) {
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
