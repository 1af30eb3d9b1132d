// verify: fixed
// A copy is walked.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Registry {
 public:
  void add(int id) {
    std::lock_guard<std::mutex> lock(mutex_);
    ids_.push_back(id);
  }
  void remove(int id) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < ids_.size(); ++i)
      if (ids_[i] == id) ids_.erase(ids_.begin() + long(i--));
  }
  size_t size() {
    std::lock_guard<std::mutex> lock(mutex_);
    return ids_.size();
  }
  int at(size_t i) {
    std::lock_guard<std::mutex> lock(mutex_);
    return ids_.at(i);
  }
  std::vector<int> snapshot() {
    std::lock_guard<std::mutex> lock(mutex_);
    return ids_;
  }
  long sum() {
    long all = 0;
    const auto ids = snapshot();
    for (size_t i = 0; i < ids.size(); ++i) all += ids.at(i);
    return all;
  }

 private:
  std::mutex mutex_;
  std::vector<int> ids_;
};

int main() {
  Registry registry;
  for (int i = 1; i <= 3; ++i) registry.add(i);
  std::thread walker([&] { registry.sum(); });
  std::thread remover([&] { registry.remove(2); });
  walker.join();
  remover.join();
}
