// A worker that finds the work list empty returns without counting down.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: count|latch|arrive
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

struct Batch {
  std::mutex mutex;
  std::vector<int> work{1, 2};
  std::latch done{2};

  bool take(int& item) {
    std::lock_guard lock(mutex);
    if (work.empty()) return false;
    item = work.back();
    work.pop_back();
    return true;
  }
};

static void worker(Batch& batch) {
  int item = 0;
  if (!batch.take(item)) return;  // BUG
  while (batch.take(item)) {
  }
  batch.done.count_down();  // FIX
}

int main() {
  Batch batch;
  std::thread a(worker, std::ref(batch)), b(worker, std::ref(batch));
  batch.done.wait();
  a.join();
  b.join();
}
