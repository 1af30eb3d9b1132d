// empty() and front() are each locked; between them the last entry goes.
// heddle-bug: kind=exception granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|hold
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

class Table {
 public:
  Table() { map_[1] = 1; }
  bool empty() {
    std::lock_guard<std::mutex> hold(lock_);
    return map_.empty();
  }
  int pop() {
    std::lock_guard<std::mutex> hold(lock_);
    if (map_.empty()) throw std::runtime_error("pop of an empty table");
    const int first = map_.begin()->first;
    map_.erase(map_.begin());
    return first;
  }

 private:
  std::mutex lock_;
  std::map<int, int> map_;
};

static Table table;

static void drain() {
  while (!table.empty()) table.pop();  // BUG
}

int main() {
  std::thread a(drain), b(drain);
  a.join();
  b.join();
}
