// Bodies put into a tree with a lock for each node: that a leaf is free is seen before its lock is taken.
// heddle-kernel: family=tree_split kind=assert granularity=access class=atomicity
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
  std::mutex lock;
  std::atomic<int> body{0};
  std::atomic<Node*> children[2] = {nullptr, nullptr};
};
Node root;
std::atomic<int> lost{0};

void insert(int body) {
  Node* at = &root;
  for (int bit = 2; bit >= 0; --bit) {
    const bool free = at->body.load() == 0;
    const std::lock_guard<std::mutex> guard(at->lock);
#ifdef FIXED
    if (at->body.load() == 0) {
#else
    if (free) {  // BUG
#endif
      if (at->body.exchange(body) != 0) ++lost;
      return;
    }
    (void)free;
    std::atomic<Node*>& child = at->children[body >> bit & 1];
    if (child.load() == nullptr) child = new Node;
    at = child;
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; ++i) threads.emplace_back(insert, i);
  for (std::thread& t : threads) t.join();
  assert(lost.load() == 0);
}
