// contains() and get() lock separately; an eviction between them makes get() throw.
// heddle-bug: kind=exception,abort granularity=sync class=atomicity set=held
// fix: one (lock|critical section)|hold|same lock
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

class Cache {
 public:
  bool contains(const std::string& key) {
    std::lock_guard<std::mutex> guard(mutex_);
    return entries_.find(key) != entries_.end();
  }
  std::string get(const std::string& key) {
    std::lock_guard<std::mutex> guard(mutex_);
    return entries_.at(key);
  }
  void put(const std::string& key, const std::string& value) {
    std::lock_guard<std::mutex> guard(mutex_);
    entries_[key] = value;
  }
  void evict(const std::string& key) {
    std::lock_guard<std::mutex> guard(mutex_);
    entries_.erase(key);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> entries_;
};

int main() {
  Cache cache;
  cache.put("user", "1");
  std::thread reader([&] {
    if (cache.contains("user"))  // BUG
      cache.get("user");         // BUG
  });
  std::thread sweeper([&] { cache.evict("user"); });
  reader.join();
  sweeper.join();
}
