// Every access is atomic, the step is not: two threads get the same number.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> next_id{1};

static int take() {
  const int id = next_id.load();  // BUG
  next_id.store(id + 1);          // BUG
  return id;
}

int main() {
  int mine[2];
  std::thread a([&] { mine[0] = take(); }), b([&] { mine[1] = take(); });
  a.join();
  b.join();
  assert(mine[0] != mine[1]);
}
