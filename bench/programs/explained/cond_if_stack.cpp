// pop() waits with if; two consumers and one item at a time.
// heddle-bug: kind=signal,assert,abort,misuse,exception granularity=sync class=wait set=held
// fix: while|loop|again
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable filled;
static std::vector<int> items;

static int pop() {
  std::unique_lock<std::mutex> hold(lock);
  if (items.empty()) {
    filled.wait(hold);  // BUG
  }
  const int top = items.at(items.size() - 1);
  items.pop_back();
  return top;
}

static void push(int v) {
  std::lock_guard<std::mutex> hold(lock);
  items.push_back(v);
  filled.notify_all();
}

int main() {
  std::thread a([] { (void)pop(); }), b([] { (void)pop(); });
  push(1);
  push(2);
  a.join();
  b.join();
}
