// done is an atomic; the last worker notifies without the lock of the wait.
// heddle-bug: kind=deadlock granularity=access class=lost-wakeup set=held
// fix: (under|hold|with|take).*lock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable finished;
static std::atomic<int> left{2};

static void worker() {
  if (left.fetch_sub(1) == 1) finished.notify_one();  // BUG
}

int main() {
  std::thread a(worker), b(worker);
  {
    std::unique_lock<std::mutex> hold(lock);
    finished.wait(hold, [] { return left.load() == 0; });
  }
  a.join();
  b.join();
}
