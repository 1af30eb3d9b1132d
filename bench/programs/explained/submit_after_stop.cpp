// The worker leaves when told to stop and nothing is left; a job that is accepted after that is never run.
// heddle-bug: kind=assert granularity=sync class=order,atomicity set=tuned
// fix: before|lock|wait|stop|one (atomic )?step|hold
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::queue<int> jobs;
static bool stopping;
static int done, accepted;

static void worker() {
  std::unique_lock<std::mutex> hold(lock);
  for (;;) {
    changed.wait(hold, [] { return stopping || !jobs.empty(); });
    if (jobs.empty()) return;  // BUG
    jobs.pop();
    ++done;
  }
}

static void client() {
  std::lock_guard<std::mutex> hold(lock);
  jobs.push(1);  // BUG
  ++accepted;
  changed.notify_one();
}

static void stop() {
  std::lock_guard<std::mutex> hold(lock);
  stopping = true;  // BUG
  changed.notify_all();
}

int main() {
  std::thread w(worker), c(client);
  stop();
  w.join();
  c.join();
  assert(done == accepted);
}
