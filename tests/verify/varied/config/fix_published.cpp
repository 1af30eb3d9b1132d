// verify: fixed
// Filled, then published.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Config {
  int limit = 0;
  int depth = 0;
};

static std::mutex init_mutex;
static std::atomic<Config*> config{nullptr};

static Config* get() {
  if (config.load() == nullptr) {
    std::lock_guard<std::mutex> guard(init_mutex);
    if (config.load() == nullptr) {
      Config* fresh = new Config;
      fresh->limit = 8;
      fresh->depth = 3;
      config.store(fresh);
    }
  }
  return config.load();
}

static void use() {
  const Config* c = get();
  assert(c->limit == 8 && c->depth == 3);
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
}
