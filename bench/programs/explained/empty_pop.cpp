// empty() and pop() are safe each and not together.
// heddle-bug: kind=assert,exception,abort granularity=sync class=atomicity set=held
// fix: hold|one critical section
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

class Jobs {
 public:
  explicit Jobs(int n) {
    for (int i = 0; i < n; ++i) jobs_.push_back(i);
  }
  bool empty() {
    std::lock_guard<std::mutex> g(m_);
    return jobs_.empty();
  }
  int pop() {
    std::lock_guard<std::mutex> g(m_);
    assert(!jobs_.empty());
    int j = jobs_.front();
    jobs_.pop_front();
    return j;
  }

 private:
  std::mutex m_;
  std::deque<int> jobs_;
};

static void drain(Jobs& jobs) {
  while (!jobs.empty()) {
    jobs.pop();  // BUG
  }
}

int main() {
  Jobs jobs(3);
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; ++i) workers.emplace_back([&] { drain(jobs); });
  for (auto& w : workers) w.join();
}
