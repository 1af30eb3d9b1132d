// verify: fixed
// A second look as writer.
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Names {
 public:
  int id(const std::string& name) {
    {
      std::shared_lock<std::shared_mutex> lock(mutex_);
      auto it = ids_.find(name);
      if (it != ids_.end()) return it->second;
    }
    std::unique_lock<std::shared_mutex> lock(mutex_);
    auto again = ids_.find(name);
    if (again != ids_.end()) return again->second;
    int fresh = ++made_;
    ids_[name] = fresh;
    return fresh;
  }
  int made() const { return made_; }

 private:
  std::shared_mutex mutex_;
  std::map<std::string, int> ids_;
  int made_ = 0;
};

int main() {
  Names names;
  int a = 0, b = 0;
  std::thread one([&] { a = names.id("x"); });
  std::thread two([&] { b = names.id("x"); });
  one.join();
  two.join();
  assert(a == b);
  return 0;
}
