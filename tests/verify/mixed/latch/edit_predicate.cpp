// verify: still-fails
// The flag is set without the lock: between the test and the wait.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Latch {
 public:
  void wait() {
    std::unique_lock<std::mutex> hold(mutex_);
    changed_.wait(hold, [this] { return is_open(); });
  }
  void open() {
    open_ = true;
    changed_.notify_all();
  }

 private:
  bool is_open() const { return open_.load(); }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> open_{false};
};

struct Job {
  Latch ready;
  int value = 0;
};

static int consume(Job& job) {
  job.ready.wait();
  return job.value;
}

static void produce(Job& job) {
  job.value = 42;
  job.ready.open();
}

int main() {
  Job job;
  int got = 0;
  std::thread reader([&] { got = consume(job); });
  std::thread writer([&] { produce(job); });
  reader.join();
  writer.join();
  assert(got == 42);
}
