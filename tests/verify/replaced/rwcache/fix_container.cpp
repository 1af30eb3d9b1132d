// verify: fixed
// One mutex, another container, functions split.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class Names {
 public:
  int id(const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    return find_or_make(name);
  }

 private:
  int find_or_make(const std::string& name) {
    auto [it, is_new] = ids_.try_emplace(name, 0);
    if (is_new) {
      order_.push_back(name);
      it->second = int(order_.size());
    }
    return it->second;
  }
  std::mutex mutex_;
  std::unordered_map<std::string, int> ids_;
  std::vector<std::string> order_;
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
