// verify-build: heddle-cc
// Whether an id is left is asked with one atomic, and it is taken with the next.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kMost = 2;
static std::atomic<int> next_id{0};
static int owners[kMost + 2];

static int take_id() {
  if (next_id.load() >= kMost) return -1;
  return next_id.fetch_add(1);
}

static void client() {
  const int id = take_id();
  if (id < 0) return;
  assert(id < kMost);
  owners[id] = 1;
}

int main() {
  std::thread a(client), b(client), c(client);
  a.join();
  b.join();
  c.join();
}
