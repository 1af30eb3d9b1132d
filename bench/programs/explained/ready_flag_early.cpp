// The flag is set before the data.
// heddle-bug: kind=assert granularity=access class=order set=held
// fix: before|first|wait
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> data, ready;

static void producer() {
  ready.store(1);  // BUG
  data.store(42);  // BUG
}

static void consumer() {
  if (ready.load()) assert(data.load() == 42);
}

int main() {
  std::thread a(producer), b(consumer);
  a.join();
  b.join();
}
