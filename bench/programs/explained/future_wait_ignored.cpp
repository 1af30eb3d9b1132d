// The result is used after wait_for, whether it came or not.
// heddle-bug: kind=assert granularity=sync class=wait,order set=tuned
// fix: result|time is over|wait
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

static int answer = 0;

int main() {
  std::promise<void> done;
  std::future<void> ready = done.get_future();
  std::thread worker([&] {
    answer = 42;
    done.set_value();
  });
  ready.wait_for(std::chrono::milliseconds(20));  // BUG
  const int seen = answer;
  assert(seen == 42);
  worker.join();
}
