// A range whose ends are atomic each: setting the lower looks at the upper and the other way round.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: ^(?!.*Set first).*hold one lock
#include <atomic>
#include <cassert>
#include <thread>

class Range {
 public:
  void set_lower(int v) {
    if (v > upper_.load()) return;
    lower_.store(v);  // BUG
  }
  void set_upper(int v) {
    if (v < lower_.load()) return;
    upper_.store(v);  // BUG
  }
  bool valid() const { return lower_.load() <= upper_.load(); }

 private:
  std::atomic<int> lower_{0}, upper_{10};
};

int main() {
  Range range;
  std::thread a([&] { range.set_lower(5); });
  std::thread b([&] { range.set_upper(4); });
  a.join();
  b.join();
  assert(range.valid());
}
