// Two workers, and the end is announced by one last job of which only one of them learns.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=tuned
// fix: one (more|for each)|each|all|broadcast|twice|again|enough|count
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable more;
static std::deque<int> jobs;

static void worker() {
  for (;;) {
    std::unique_lock<std::mutex> hold(lock);
    while (jobs.empty()) more.wait(hold);  // BUG
    const int job = jobs.front();
    jobs.pop_front();
    if (job < 0) return;  // FIX
  }
}

static void submit(int job) {
  std::lock_guard<std::mutex> hold(lock);
  jobs.push_back(job);
  more.notify_one();
}

int main() {
  std::vector<std::thread> pool;
  for (int i = 0; i < 2; ++i) pool.emplace_back(worker);
  submit(1);
  submit(2);
  submit(-1);  // BUG
  for (auto& t : pool) t.join();
}
