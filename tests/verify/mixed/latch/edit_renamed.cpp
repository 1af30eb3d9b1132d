// verify: still-fails
// The flag is set without the lock: between the test and the wait.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate {
 public:
  void wait() {
    std::unique_lock<std::mutex> hold(inner_);
    while (!up_) moved_.wait(hold);
  }
  void open() {
    up_ = true;
    moved_.notify_all();
  }

 private:
  std::mutex inner_;
  std::condition_variable moved_;
  std::atomic<bool> up_{false};
};

struct Job {
  Gate ready;
  int value = 0;
};

static int take(Job& job) {
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
  std::thread reader([&] { got = take(job); });
  std::thread writer([&] { produce(job); });
  reader.join();
  writer.join();
  assert(got == 42);
}
