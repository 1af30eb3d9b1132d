// Two nodes on the heap, locked in the order of the arguments: two moves in opposite directions wait for each other. The allocation stands in a
// loop, whose counter is not the name of what is allocated.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: one order.*Node::guard
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
  std::mutex guard;
  int value = 0;
};

static void move_one(Node& from, Node& to) {
  std::lock_guard<std::mutex> first(from.guard);
  std::lock_guard<std::mutex> second(to.guard);  // BUG
  from.value--;
  to.value++;
}

static void both_ways() {
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 2; i++) nodes.push_back(std::make_unique<Node>());
  std::thread there([&] { move_one(*nodes[0], *nodes[1]); });
  std::thread back([&] { move_one(*nodes[1], *nodes[0]); });
  there.join();
  back.join();
}

int main() { both_ways(); }
