// submit() looks whether the queue is open, then puts the job in; close() comes in between and nobody does the job.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|hold
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static bool open_queue = true;
static int queued, done;

static void submit() {
  bool open;
  {
    std::lock_guard<std::mutex> hold(lock);
    open = open_queue;
  }
  if (!open) return;
  std::lock_guard<std::mutex> hold(lock);  // BUG
  ++queued;
}

static void close_queue() {
  std::lock_guard<std::mutex> hold(lock);
  open_queue = false;
  done = queued;
}

int main() {
  std::thread a(submit), b(close_queue);
  a.join();
  b.join();
  assert(done == queued);
}
