// verify: still-fails
// verify-build: heddle-cc
// The tokens are looked at and taken in two steps.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> tokens{2};
static std::atomic<int> granted{0};

static bool take() {
  const int seen = tokens.load();
  if (seen <= 0) return false;
  tokens.store(seen - 1);
  return true;
}

static void client() {
  if (take()) granted.fetch_add(1);
}

int main() {
  std::thread a([] { client(); }), b([] { client(); }), c([] { client(); });
  a.join();
  b.join();
  c.join();
  assert(granted.load() <= 2);
}
