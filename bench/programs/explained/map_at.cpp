// contains() and at() lock each by itself; erase() comes in between.
// heddle-bug: kind=exception,abort granularity=sync class=atomicity set=held
// fix: hold|one critical section
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

template <typename K, typename V>
class LockedMap {
 public:
  void set(const K& k, V v) {
    std::lock_guard<std::mutex> g(m_);
    map_[k] = std::move(v);
  }
  bool contains(const K& k) const {
    std::lock_guard<std::mutex> g(m_);
    return map_.count(k) != 0;
  }
  V at(const K& k) const {
    std::lock_guard<std::mutex> g(m_);
    return map_.at(k);
  }
  void erase(const K& k) {
    std::lock_guard<std::mutex> g(m_);
    map_.erase(k);
  }

 private:
  mutable std::mutex m_;
  std::unordered_map<K, V> map_;
};

static LockedMap<std::string, std::string> headers;

static size_t length(const std::string& name) {
  if (!headers.contains(name)) return 0;
  return headers.at(name).size();  // BUG
}

int main() {
  headers.set("Host", "example");
  std::thread reader([] { length("Host"); });
  std::thread writer([] { headers.erase("Host"); });
  reader.join();
  writer.join();
}
