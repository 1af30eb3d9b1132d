// 450 threads on a linked list whose single operations are locked. Most only read; one walks the list
// node by node, locking for each step, and one unlinks the nodes. A walk with the unlinking in its
// middle follows a link that has been cut.
// usage: linkedlist [WALKER CUTTER [THREADS]]   positions of the two threads, 137 and 311 of 450 by default
// Stands for: row "LinkedList" of LEAN Tables 1-4 (not-atomic bug, 450 threads; Sun JDK 1.4.2).
// Ours differs: C++; the positions of the two threads that matter can be chosen.
// heddle-kernel: family=linkedlist kind=signal granularity=sync optimum=1 class=atomicity paper=lean row=LinkedList
#include <array>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "late.h"

namespace {

constexpr int kIterations = LATE > 0 ? 10 : 1;

struct Node {
  int value = 0;
  Node* next = nullptr;
};

class LinkedList {
 public:
  LinkedList() {
    for (std::size_t i = 0; i < nodes_.size(); i++) {
      nodes_[i].value = static_cast<int>(i) + 1;
      nodes_[i].next = &nodes_[(i + 1) % nodes_.size()];  // circular, as the JDK's
    }
  }
  std::size_t size() {
    std::lock_guard guard(lock_);
    return size_;
  }
  Node* first() {
    std::lock_guard guard(lock_);
    return size_ == 0 ? nullptr : &nodes_[0];
  }
  Node* after(const Node* node) {
    std::lock_guard guard(lock_);
    return node->next;
  }
  void clear() {
    std::lock_guard guard(lock_);
    size_ = 0;
    for (Node& node : nodes_) node.next = nullptr;
  }
  int sum() {
#ifdef FIXED
    std::lock_guard guard(lock_);
    int total = 0;
    for (std::size_t i = 0; i < size_; i++) total += nodes_[i].value;
    return total;
#else
    std::size_t count = size();
    int total = 0;
    Node* node = count > 0 ? first() : nullptr;
    for (std::size_t i = 0; i < count; i++) {
      total += node->value;  // BUG
      node = after(node);
    }
    return total;
#endif
  }

 private:
  std::mutex lock_;
  std::array<Node, 3> nodes_;
  std::size_t size_ = 3;
};

LinkedList list;
volatile int result;

void walker() {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      result = late_is_safe(i) ? static_cast<int>(list.size()) : list.sum();
    }
}
void cutter() {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      if (late_is_safe(i)) {
        list.size();
      } else {
        list.clear();
      }
    }
}
void reader() {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      list.size();
    }
}

}  // namespace

int main(int argc, char** argv) {
  auto argument = [&](int index, int otherwise) { return argc > index ? std::atoi(argv[index]) : otherwise; };
  const int walker_at = argument(1, 137), cutter_at = argument(2, 311), count = argument(3, 450);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) threads.emplace_back(i == walker_at ? walker : i == cutter_at ? cutter : reader);
  for (std::thread& thread : threads) thread.join();
}
