// verify: still-fails
// The number never changes.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  int value = 0;
  int next = -1;
  std::atomic<int> owners{0};
};
static Node nodes[3];
struct Head {
  int node;
  unsigned tag;
};
static std::atomic<Head> head{Head{-1, 0}};

static void push(int n) {
  Head old = head.load();
  do {
    nodes[n].next = old.node;
  } while (!head.compare_exchange_strong(old, Head{n, old.tag}));
}

static int pop() {
  Head old = head.load();
  while (old.node >= 0) {
    int next = nodes[old.node].next;
    if (head.compare_exchange_strong(old, Head{next, old.tag})) return old.node;
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
