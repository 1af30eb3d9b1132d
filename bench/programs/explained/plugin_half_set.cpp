// The plugin is put into the table before its handler is set.
// heddle-bug: kind=signal,assert,exception granularity=access class=order set=tuned
// fix: first and set it last
#include <atomic>
#include <thread>

struct Plugin {
  const char* name = nullptr;
  int (*handler)(int) = nullptr;
};
static std::atomic<Plugin*> slot{nullptr};
static int twice(int n) { return 2 * n; }

static void load() {
  auto* p = new Plugin;
  p->name = "twice";
  slot.store(p);       // BUG
  p->handler = twice;  // FIX
}

static int call(int n) {
  Plugin* p = slot.load();
  return p ? p->handler(n) : 0;
}

int main() {
  std::thread loader(load);
  const int got = call(4);
  loader.join();
  return got != 0 && got != 8;
}
