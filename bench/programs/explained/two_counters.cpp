// Money leaves one shard and reaches another in two critical sections; the total is taken in between.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: hold|one critical section|both
#include <cassert>
#include <mutex>
#include <thread>

class Shards {
 public:
  void move(int n) {
    add(0, -n);
    add(1, n);  // BUG
  }
  int total() {
    std::lock_guard<std::mutex> g(m_);
    return value_[0] + value_[1];
  }

 private:
  void add(int shard, int n) {
    std::lock_guard<std::mutex> g(m_);
    value_[shard] += n;
  }
  std::mutex m_;
  int value_[2] = {50, 50};
};

int main() {
  Shards shards;
  int seen = 0;
  std::thread mover([&] { shards.move(7); });
  std::thread auditor([&] { seen = shards.total(); });
  mover.join();
  auditor.join();
  assert(seen == 100);
}
