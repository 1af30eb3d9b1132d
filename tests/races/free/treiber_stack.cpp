// A lock-free stack whose nodes are never freed.
#include <atomic>
#include <thread>

struct Node {
  int value;
  Node* next;
};
static std::atomic<Node*> top{nullptr};
static Node nodes[4];
static void push(Node* n, int value) {
  n->value = value;
  n->next = top.load(std::memory_order_relaxed);
  while (!top.compare_exchange_weak(n->next, n, std::memory_order_release, std::memory_order_relaxed)) {
  }
}
static int pop() {
  Node* n = top.load(std::memory_order_acquire);
  while (n && !top.compare_exchange_weak(n, n->next, std::memory_order_acquire, std::memory_order_acquire)) {
  }
  return n ? n->value : 0;
}

static void one() {
  push(&nodes[0], 1);
  push(&nodes[1], 2);
}
static void two() {
  pop();
  pop();
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
