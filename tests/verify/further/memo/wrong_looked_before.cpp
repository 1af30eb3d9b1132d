// verify: still-fails
// Looked up under the reader's lock, added under the writer's: two threads compute the same entry.
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex guard;
static std::map<int, int> memo;
static int computed[3];

static int compute(int key) { return key * key; }

static int lookup(int key) {
  {
    std::shared_lock reading(guard);
    auto found = memo.find(key);
    if (found != memo.end()) return found->second;
  }
  {
    std::shared_lock reading(guard);
    if (memo.count(key)) return memo[key];
  }
  std::unique_lock writing(guard);
  const int value = compute(key);
  assert(computed[key] == 0);
  ++computed[key];
  memo[key] = value;
  return value;
}

int main() {
  std::thread a([] {
    lookup(1);
    lookup(2);
  });
  std::thread b([] { lookup(2); });
  a.join();
  b.join();
}
