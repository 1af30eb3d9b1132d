// verify: still-fails
// The head is read once more before the exchange.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  int value = 0;
  int next = -1;
  std::atomic<int> owners{0};
};
static Node nodes[3];
static std::atomic<int> head{-1};

static void push(int n) {
  int old = head.load();
  do {
    nodes[n].next = old;
  } while (!head.compare_exchange_strong(old, n));
}

static int pop() {
  int old = head.load();
  while (old >= 0) {
    int next = nodes[old].next;
    if (head.load() != old) {
      old = head.load();
      continue;
    }
    if (head.compare_exchange_strong(old, next)) return old;
  }
  return -1;
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
