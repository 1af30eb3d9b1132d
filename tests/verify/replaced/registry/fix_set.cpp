// verify: fixed
// Another container, walked by a function that is given.
#include <cassert>
#include <mutex>
#include <set>
#include <string>
#include <thread>

class Registry {
 public:
  void add(int id) {
    std::lock_guard<std::mutex> lock(mutex_);
    ids_.insert(id);
  }
  void remove(int id) {
    std::lock_guard<std::mutex> lock(mutex_);
    ids_.erase(id);
  }
  size_t size() {
    std::lock_guard<std::mutex> lock(mutex_);
    return ids_.size();
  }
  template <class F>
  void each(F f) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (int id : ids_) f(id);
  }
  long sum() {
    long all = 0;
    each([&](int id) { all += id; });
    return all;
  }

 private:
  std::mutex mutex_;
  std::set<int> ids_;
};

int main() {
  Registry registry;
  for (int i = 1; i <= 3; ++i) registry.add(i);
  std::thread walker([&] { registry.sum(); });
  std::thread remover([&] { registry.remove(2); });
  walker.join();
  remover.join();
}
