// The callback asks for the lock that its caller holds.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,misuse set=tuned
// fix: (already|itself|twice|before|give|release).*
#include <functional>
#include <mutex>
#include <thread>

class Registry {
 public:
  void add(std::function<void()> f) {
    std::lock_guard<std::mutex> hold(lock_);
    callback_ = std::move(f);
  }
  void fire() {
    std::lock_guard<std::mutex> hold(lock_);
    if (callback_) callback_();  // BUG
  }
  int size() {
    std::lock_guard<std::mutex> hold(lock_);  // BUG
    return callback_ ? 1 : 0;
  }

 private:
  std::mutex lock_;
  std::function<void()> callback_;
};

int main() {
  Registry registry;
  std::thread a([&] { registry.add([&] { (void)registry.size(); }); });
  std::thread b([&] { registry.fire(); });
  a.join();
  b.join();
}
