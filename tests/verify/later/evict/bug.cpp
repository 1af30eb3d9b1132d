// verify-flags: -O2
// An entry may be evicted between the look-up and its use.
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Entry {
  bool alive = true;
  std::string text;
  int pins = 0;
};

class Cache {
 public:
  void insert(int key, std::string text) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto entry = std::make_shared<Entry>();
    entry->text = std::move(text);
    map_[key] = entry;
  }
  std::shared_ptr<Entry> find(int key) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto it = map_.find(key);
    return it == map_.end() ? nullptr : it->second;
  }
  size_t use(const std::shared_ptr<Entry>& entry) {
    std::lock_guard<std::mutex> guard(mutex_);
    assert(entry->alive);
    return entry->text.size();
  }
  void evict(int key) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto it = map_.find(key);
    if (it == map_.end()) return;
    it->second->alive = false;
    map_.erase(it);
  }

 private:
  std::mutex mutex_;
  std::map<int, std::shared_ptr<Entry>> map_;
};

static Cache cache;
static size_t seen;

static void reader() {
  for (int i = 0; i < 2; ++i) {
    auto entry = cache.find(i);
    if (entry) seen += cache.use(entry);
  }
}

static void cleaner() { cache.evict(1); }

int main() {
  cache.insert(0, "zero");
  cache.insert(1, "one");
  std::thread a(reader);
  std::thread b(cleaner);
  a.join();
  b.join();
  return 0;
}
