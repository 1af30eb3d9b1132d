// Readers hold the read lock, the writer another one: the sum is taken while the vector grows.
// heddle-bug: kind=signal,assert,abort granularity=access class=race,atomicity,uaf set=held
// fix: same lock|one lock|lock
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Samples {
 public:
  void add(int v) {
    std::lock_guard<std::mutex> g(write_lock_);  // BUG
    values_.push_back(v);                        // FIX
    ++count_;
  }
  int sum() {
    std::lock_guard<std::mutex> g(read_lock_);  // BUG
    int s = 0;
    for (int i = 0; i < count_; ++i) s += values_[i];
    return s;
  }

 private:
  std::mutex write_lock_, read_lock_;
  std::vector<int> values_{1, 2};
  int count_ = 2;
};

int main() {
  Samples samples;
  int seen = 0;
  std::thread writer([&] { samples.add(3); });
  std::thread reader([&] { seen = samples.sum(); });
  writer.join();
  reader.join();
  assert(seen == 3 || seen == 6);
}
