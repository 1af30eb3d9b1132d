// verify: fixed
// Taken only if nobody took it in between.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kMost = 2;
static std::atomic<int> next_id{0};
static int owners[kMost + 2];

static int take_id() {
  int id = next_id.load();
  while (id < kMost) {
    if (next_id.compare_exchange_strong(id, id + 1)) return id;
  }
  return -1;
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
