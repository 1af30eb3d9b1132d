// A reader takes the pointer, the owner swaps and deletes the old one.
// heddle-bug: kind=misuse,signal,assert granularity=access class=uaf set=held
// fix: (wait|end|join|reference|lock|before).*
#include <atomic>
#include <cassert>
#include <thread>

struct Config {
  int size = 4;
};
static std::atomic<Config*> current{new Config};

static int read_size() {
  Config* c = current.load();
  return c->size;  // BUG
}

static void reload() {
  Config* old = current.exchange(new Config);
  delete old;  // BUG
}

int main() {
  std::thread a([] { assert(read_size() == 4); }), b(reload);
  a.join();
  b.join();
  delete current.load();
}
