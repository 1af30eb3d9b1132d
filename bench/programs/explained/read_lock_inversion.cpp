// Settings are read under a shared lock inside the cache's lock; reload has the settings' lock and clears the cache.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: order
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

static std::shared_mutex settings_lock;
static std::map<std::string, int> settings{{"limit", 4}};
static std::mutex cache_lock;
static std::map<int, int> cache;

static int limit() {
  std::shared_lock<std::shared_mutex> read(settings_lock);  // BUG
  return settings["limit"];
}

static int lookup(int key) {
  std::lock_guard<std::mutex> hold(cache_lock);
  auto at = cache.find(key);
  if (at != cache.end()) return at->second;
  return cache[key] = key % limit();
}

static void reload() {
  std::unique_lock<std::shared_mutex> write(settings_lock);
  settings["limit"] = 5;
  std::lock_guard<std::mutex> hold(cache_lock);  // BUG
  cache.clear();
}

int main() {
  std::thread reloader(reload);
  lookup(9);
  reloader.join();
}
