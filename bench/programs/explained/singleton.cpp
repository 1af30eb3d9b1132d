// Double-checked creation that forgets the second check.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: again|check|hold|one critical section
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::atomic<int> made{0};

struct Registry {
  Registry() { ++made; }
  int entries = 0;
};

class Holder {
 public:
  Registry& get() {
    {
      std::lock_guard<std::mutex> g(mutex_);
      if (instance_) return *instance_;
    }
    std::lock_guard<std::mutex> g(mutex_);  // BUG
    instance_ = new Registry;
    return *instance_;
  }

 private:
  std::mutex mutex_;
  Registry* instance_ = nullptr;
};

int main() {
  Holder holder;
  std::thread a([&] { holder.get().entries = 1; });
  std::thread b([&] { holder.get().entries = 1; });
  a.join();
  b.join();
  assert(made == 1);
}
