// verify: fixed
// A mutex instead of the atomics.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Node {
  int value = 0;
  int next = -1;
  std::atomic<int> owners{0};
};
static Node nodes[3];
static std::mutex mutex;
static int head = -1;

static void push(int n) {
  std::lock_guard<std::mutex> lock(mutex);
  nodes[n].next = head;
  head = n;
}

static int pop() {
  std::lock_guard<std::mutex> lock(mutex);
  int old = head;
  if (old >= 0) head = nodes[old].next;
  return old;
}

static void take() {
  int n = pop();
  if (n >= 0) assert(nodes[n].owners.fetch_add(1) == 0);
}

static void shuffle() {
  int a = pop();
  int b = pop();
  if (b >= 0) assert(nodes[b].owners.fetch_add(1) == 0);
  if (a >= 0) push(a);
}

int main() {
  for (int i = 2; i >= 0; --i) push(i);
  std::thread one([] {
    take();
    take();
  });
  std::thread two(shuffle);
  one.join();
  two.join();
}
