// heddle: expect=exception preemptions=1 runs<=200 message="queue is empty"
// empty() and pop() are each safe, together they are not: the loser throws in its thread.
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static std::queue<int> items;

static bool empty() {
  std::lock_guard<std::mutex> guard(lock);
  return items.empty();
}

static int pop() {
  std::lock_guard<std::mutex> guard(lock);
  if (items.empty()) throw std::runtime_error("queue is empty");
  const int item = items.front();
  items.pop();
  return item;
}

static void consume() {
  if (!empty()) pop();
}

int main() {
  items.push(1);
  std::thread one(consume), two(consume);
  one.join();
  two.join();
  return 0;
}
