// Who gives up does not keep its promise, and the future waits for ever.
// heddle-bug: kind=deadlock granularity=access class=deadlock set=tuned
// fix: every path|set_value
#include <atomic>
#include <cstdio>
#include <future>
#include <thread>

static std::atomic<bool> cancelled{false};
static std::promise<int> result;

static void compute() {
  if (!cancelled.load()) {  // BUG
    result.set_value(42);
  }
}
int main() {
  std::future<int> f = result.get_future();
  std::thread t(compute);
  std::thread c([] { cancelled = true; });  // BUG
  int v = f.get();
  std::printf("%d\n", v);
  t.join();
  c.join();
}
