// Processes in a ring elect the one with the highest number: each passes on what is higher than its own. One gives up its own candidacy when it hears a higher number, but looks and acts in two steps.
// heddle-kernel: family=ring_election kind=assert granularity=sync class=atomicity
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kNodes = 3;
struct Node {
  std::mutex lock;
  int best = -1;
  bool leader = false;
} nodes[kNodes];

void announce(int me) {
  for (int hop = 1; hop < kNodes; ++hop) {
    Node& to = nodes[(me + hop) % kNodes];
    const std::lock_guard<std::mutex> guard(to.lock);
    if (to.best > me) return;
    to.best = me;
  }
  Node& own = nodes[me];
#ifdef FIXED
  // Only the highest number gets round the ring for good.
  const std::lock_guard<std::mutex> guard(own.lock);
  own.leader = own.best < me && me == kNodes - 1;
#else
  bool mine;
  {
    const std::lock_guard<std::mutex> guard(own.lock);
    mine = own.best < me;
  }
  const std::lock_guard<std::mutex> guard(own.lock);
  own.leader = mine;  // BUG
#endif
}

int main() {
  std::vector<std::thread> threads;
  for (int i = kNodes - 1; i >= 0; --i) threads.emplace_back(announce, i);
  for (std::thread& t : threads) t.join();
  int leaders = 0;
  for (const Node& n : nodes) leaders += n.leader ? 1 : 0;
  assert(leaders <= 1);
}
