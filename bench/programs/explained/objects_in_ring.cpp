// Each node locks itself and then its neighbour; three of them stand in a ring.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: order
#include <array>
#include <mutex>
#include <thread>

class Node {
 public:
  void link(Node* next) { next_ = next; }
  void push(int n) {
    std::lock_guard<std::mutex> g(lock_);
    load_ -= n;
    next_->receive(n);
  }

 private:
  void receive(int n) {
    std::lock_guard<std::mutex> g(lock_);  // BUG
    load_ += n;
  }
  std::mutex lock_;
  Node* next_ = nullptr;
  int load_ = 10;
};

int main() {
  std::array<Node, 3> ring;
  for (int i = 0; i < 3; ++i) ring[i].link(&ring[(i + 1) % 3]);
  std::thread a([&] { ring[0].push(1); }), b([&] { ring[1].push(1); }), c([&] { ring[2].push(1); });
  a.join();
  b.join();
  c.join();
}
