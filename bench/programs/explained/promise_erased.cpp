// A call is cancelled by erasing its entry while the answer may still come: the waiter gets a broken promise.
// heddle-bug: kind=exception,abort granularity=sync class=order,uaf,atomicity set=tuned
// fix: before|wait|first|lock|set
#include <future>
#include <map>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::map<int, std::promise<int>> calls;

static void answer(int id, int value) {
  std::lock_guard<std::mutex> hold(lock);
  auto at = calls.find(id);
  if (at != calls.end()) at->second.set_value(value);  // BUG
}

static void cancel(int id) {
  std::lock_guard<std::mutex> hold(lock);
  calls.erase(id);  // BUG
}

int main() {
  std::future<int> result = calls[1].get_future();
  std::thread network(answer, 1, 5), timer(cancel, 1);
  const int value = result.get();
  network.join();
  timer.join();
  return value == 5 ? 0 : 1;
}
