// A pool's submit() looks at the stop flag and queues the job in two steps; a shutdown in between
// drains the queue and leaves, and the accepted job is never run.
// Stands for: the submit-against-shutdown race of thread pools (JDK ThreadPoolExecutor, libuv and gRPC trackers).
// Ours differs: one worker, one late job.
// heddle-kernel: family=shutdown kind=assert granularity=sync optimum=1 class=atomicity
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex lock;
std::condition_variable changed;
bool stopping = false;
int queued = 0, executed = 0;

bool submit() {
  std::unique_lock guard(lock);
  if (stopping) return false;
#ifndef FIXED
  guard.unlock();  // BUG
  guard.lock();
#endif
  queued++;
  changed.notify_one();
  return true;
}

void worker() {
  std::unique_lock guard(lock);
  for (;;) {
    while (queued == 0 && !stopping) changed.wait(guard);
    if (queued == 0) return;
    queued--;
    executed++;
  }
}

void stop() {
  std::lock_guard guard(lock);
  stopping = true;
  changed.notify_all();
}

}  // namespace

int main() {
  bool accepted = false;
  std::thread w(worker), client([&] { accepted = submit(); }), closer(stop);
  client.join();
  closer.join();
  w.join();
  assert(executed == (accepted ? 1 : 0));
}
