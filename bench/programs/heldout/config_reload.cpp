// A configuration is read twice in one request: once to see the mode, once for the limit, and reloaded between.
// heddle-kernel: family=config_reload kind=assert granularity=access class=atomicity
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Config {
  bool strict;
  int limit;
};
const Config loose{false, 0}, strict{true, 5};
std::atomic<const Config*> current{&strict};

void request() {
#ifdef FIXED
  const Config* config = current.load();
  if (config->strict) assert(config->limit > 0);
#else
  if (current.load()->strict) assert(current.load()->limit > 0);  // BUG
#endif
}

void reload() {
  current = &loose;
  current = &strict;
}

int main() {
  std::thread a(reload), b(request), c(request);
  a.join();
  b.join();
  c.join();
}
