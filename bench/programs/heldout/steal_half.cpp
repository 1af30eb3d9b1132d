// A thief takes half of a victim's tasks in two steps: it copies under the victim's lock and shortens the victim's list under the lock again.
// heddle-kernel: family=steal_half kind=assert granularity=sync class=atomicity
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Worker {
  std::mutex lock;
  std::vector<int> tasks;
} workers[2];
std::atomic<int> done[4];

void steal() {
  std::vector<int> loot;
  size_t keep;
  {
    const std::lock_guard<std::mutex> guard(workers[0].lock);
    keep = workers[0].tasks.size() / 2;
    loot.assign(workers[0].tasks.begin() + static_cast<long>(keep), workers[0].tasks.end());
#ifdef FIXED
    workers[0].tasks.resize(keep);
#endif
  }
#ifndef FIXED
  {
    const std::lock_guard<std::mutex> guard(workers[0].lock);  // BUG
    if (workers[0].tasks.size() > keep) workers[0].tasks.resize(keep);
  }
#endif
  for (int task : loot) done[task].fetch_add(1);
}

void work() {
  for (;;) {
    int task;
    {
      const std::lock_guard<std::mutex> guard(workers[0].lock);
      if (workers[0].tasks.empty()) return;
      task = workers[0].tasks.back();
      workers[0].tasks.pop_back();
    }
    done[task].fetch_add(1);
  }
}

int main() {
  workers[0].tasks = {0, 1, 2, 3};
  std::thread a(steal), b(work);
  a.join();
  b.join();
  for (const std::atomic<int>& d : done) assert(d.load() == 1);
}
