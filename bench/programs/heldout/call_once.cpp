// A runtime's own "call once": who finds it begun waits for the end, but what says "ended" is set before the call has returned.
// heddle-kernel: family=call_once kind=assert granularity=access class=order
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::atomic<int> begun{0}, ended{0}, ready{0};
std::mutex lock;

void initialise() {
  const std::lock_guard<std::mutex> guard(lock);
  ready = 1;
}

void call_once() {
  if (ended.load()) return;
  if (begun.fetch_add(1) == 0) {
#ifdef FIXED
    initialise();
    ended = 1;
#else
    ended = 1;  // BUG
    initialise();
#endif
    return;
  }
  while (!ended.load()) std::this_thread::yield();
}

void use() {
  call_once();
  assert(ready.load() == 1);
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
}
