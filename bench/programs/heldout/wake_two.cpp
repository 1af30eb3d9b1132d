// Two waiters with an if each: one signal wakes one, and either a wait that ends by itself or a quick third thread leaves nothing for the other.
// heddle-kernel: family=wake_two kind=assert granularity=sync class=wait
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable filled;
int queued;

void take() {
  std::unique_lock<std::mutex> guard(lock);
#ifdef FIXED
  while (queued == 0) filled.wait(guard);
#else
  if (queued == 0) filled.wait(guard);  // BUG
#endif
  --queued;
  assert(queued >= 0);
}

void put() {
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard<std::mutex> guard(lock);
    ++queued;
    filled.notify_one();
  }
}

int main() {
  std::thread a(take), b(take), c(put);
  a.join();
  b.join();
  c.join();
}
