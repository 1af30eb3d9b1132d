// Two registries move entries into one another, each locking itself first.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: order|scoped_lock|std::lock
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

template <class Key, class Value, class Compare = std::less<Key>, class Allocator = std::allocator<std::pair<const Key, Value>>>
class Registry {
 public:
  void put(const Key& key, Value value) {
    std::lock_guard<std::mutex> guard(mutex_);
    entries_[key] = std::move(value);
  }
  void move_to(Registry& other, const Key& key) {
    std::lock_guard<std::mutex> mine(mutex_);
    std::lock_guard<std::mutex> theirs(other.mutex_);  // BUG
    other.entries_[key] = std::move(entries_[key]);
    entries_.erase(key);
  }

 private:
  std::mutex mutex_;
  std::map<Key, Value, Compare, Allocator> entries_;
};

using Names = Registry<std::string, std::vector<std::shared_ptr<std::map<std::string, std::function<void(int)>>>>>;

int main() {
  auto hot = std::make_shared<Names>();
  auto cold = std::make_shared<Names>();
  hot->put("a", {});
  cold->put("b", {});
  std::thread one([=] { hot->move_to(*cold, "a"); });
  std::thread two([=] { cold->move_to(*hot, "b"); });
  one.join();
  two.join();
}
