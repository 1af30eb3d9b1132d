// A sequence lock whose reader looks at the sequence before and not after.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: together|one lock|hold|again
#include <atomic>
#include <cassert>
#include <thread>

class Clock {
 public:
  void set(int s, int ns) {
    seq_.fetch_add(1);
    sec_.store(s);
    nsec_.store(ns);
    seq_.fetch_add(1);
  }
  void get(int* s, int* ns) const {
    while (seq_.load() & 1) std::this_thread::yield();
    *s = sec_.load();  // BUG
    *ns = nsec_.load();
  }

 private:
  std::atomic<unsigned> seq_{0};
  std::atomic<int> sec_{1}, nsec_{100};
};

int main() {
  Clock clock;
  std::thread setter([&] { clock.set(2, 200); });
  int s, ns;
  clock.get(&s, &ns);
  assert(s * 100 == ns);
  setter.join();
}
