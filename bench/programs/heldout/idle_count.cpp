// Workers end when all are idle and the queue was empty: one counts itself idle, and another that still holds a task puts a new one in after the last look.
// heddle-kernel: family=idle_count kind=assert granularity=access class=order
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex lock;
int queued = 1;
std::atomic<int> busy{0}, done{0};

bool take() {
  const std::lock_guard<std::mutex> guard(lock);
  if (queued == 0) return false;
  --queued;
#ifdef FIXED
  ++busy;
#endif
  return true;
}

void worker() {
  for (;;) {
    if (!take()) {
      if (busy == 0) {
        const std::lock_guard<std::mutex> guard(lock);
        if (queued == 0 && busy == 0) return;
      }
      std::this_thread::yield();
      continue;
    }
#ifndef FIXED
    ++busy;  // BUG
#endif
    if (done.fetch_add(1) == 0) {
      const std::lock_guard<std::mutex> guard(lock);
      queued += 2;
    }
    --busy;
  }
}

void early() {
  worker();
  assert(done.load() == 3);
}

int main() {
  std::thread a(early), b(early);
  a.join();
  b.join();
}
