// A new configuration is swapped in and the old one deleted at once, while a request still reads it.
// heddle-bug: kind=signal,abort,assert granularity=access class=uaf set=held
// fix: hold|reference|wait|until|before|shared_ptr
#include <atomic>
#include <string>
#include <thread>

struct Config {
  int timeout;
  int retries;
};
static std::atomic<Config*> current{nullptr};

static int request() {
  const Config* c = current.load();
  int total = 0;
  for (int i = 0; i < c->retries; ++i) total += c->timeout;  // BUG
  return total;
}

static void reload() {
  Config* fresh = new Config{5, 2};
  Config* old = current.exchange(fresh);
  delete old;  // FIX
}

int main() {
  current = new Config{10, 2};
  std::thread worker([] { request(); });
  reload();
  worker.join();
  delete current.load();
}
