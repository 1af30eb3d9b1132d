// verify: fixed
// Taken first, and judged by what was got.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kMost = 2;
static std::atomic<int> next_id{0};
static int owners[kMost + 2];

static int take_id() {
  const int id = next_id.fetch_add(1);
  return id < kMost ? id : -1;
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
