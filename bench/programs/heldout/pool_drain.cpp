// A pool is drained and then stopped; a task that runs puts another one in between.
// heddle-kernel: family=pool_drain kind=assert granularity=sync class=order
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
int queued = 1, running, done;
bool stop;

void worker() {
  std::unique_lock<std::mutex> guard(lock);
  for (;;) {
    changed.wait(guard, [] { return queued > 0 || stop; });
    if (stop) return;
    --queued;
    ++running;
    guard.unlock();
    std::this_thread::yield();
    guard.lock();
    if (done++ == 0) ++queued;
    --running;
    changed.notify_all();
  }
}

int main() {
  std::thread w(worker);
  {
    std::unique_lock<std::mutex> guard(lock);
#ifdef FIXED
    changed.wait(guard, [] { return queued == 0 && running == 0; });
#else
    changed.wait(guard, [] { return queued == 0; });  // BUG
#endif
    stop = true;
    changed.notify_all();
  }
  w.join();
  assert(done == 2);
}
