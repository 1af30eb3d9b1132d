// A standby takes over when it has heard nothing for 5 ms; the master was only slow.
// heddle-kernel: family=heartbeat kind=assert granularity=sync class=order
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable beat;
int beats;
std::atomic<int> masters{1};

void master() {
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard<std::mutex> guard(lock);
    ++beats;
    beat.notify_all();
  }
  std::this_thread::yield();
  assert(masters.load() == 1);
  --masters;
}

void standby() {
  std::unique_lock<std::mutex> guard(lock);
#ifdef FIXED
  beat.wait(guard, [] { return beats == 2; });
#else
  if (!beat.wait_for(guard, std::chrono::milliseconds(5), [] { return beats == 2; })) ++masters;  // BUG
#endif
}

int main() {
  std::thread a(master), b(standby);
  a.join();
  b.join();
}
