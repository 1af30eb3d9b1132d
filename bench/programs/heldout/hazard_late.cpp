// A stack without locks with hazard pointers: the pointer is announced and not compared with the head again, so that it may be retired already.
// heddle-kernel: family=hazard_late kind=assert granularity=access class=uaf
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  Node* next;
  std::atomic<bool> freed{false};
};
Node nodes[3];
std::atomic<Node*> head{nullptr};
std::atomic<Node*> hazard[2];

void retire(Node* node, int other) {
  if (hazard[other].load() != node) node->freed = true;
}

void pop(int me) {
  for (;;) {
    Node* top = head.load();
    if (top == nullptr) return;
    hazard[me] = top;
#ifdef FIXED
    if (head.load() != top) continue;
#endif
    assert(!top->freed.load());  // BUG
    Node* expected = top;
    if (head.compare_exchange_strong(expected, top->next)) {
      hazard[me] = nullptr;
      retire(top, 1 - me);
      return;
    }
  }
}

int main() {
  for (int i = 0; i < 3; ++i) {
    nodes[i].next = head;
    head = &nodes[i];
  }
  std::thread a(pop, 0), b(pop, 1);
  a.join();
  b.join();
}
