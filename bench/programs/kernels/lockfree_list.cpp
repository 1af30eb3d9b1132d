// A lock-free sorted list that unlinks a node without marking it first: an insertion after the node
// that goes on at the same time is lost with it.
// Stands for: the motivating failure of Harris 2001 ("A pragmatic implementation of non-blocking linked-lists").
// Ours differs: three fixed nodes; the fixed twin marks the link before unlinking.
// heddle-kernel: family=lockfree_list kind=assert granularity=access optimum=1 class=atomicity
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

// Links are indices into `nodes`, doubled; the lowest bit is the deletion mark. 0 is the end.
struct Node {
  std::atomic<std::uint32_t> next{0};
};

constexpr std::uint32_t kHead = 1, kFirst = 2, kNew = 3;
Node nodes[4];

std::uint32_t link(std::uint32_t index) { return index << 1; }

void insert_after_first() {
  for (;;) {
    std::uint32_t prev = nodes[kHead].next.load() == link(kFirst) ? kFirst : kHead;
    std::uint32_t next = nodes[prev].next.load();
    if (next & 1) {
      std::this_thread::yield();
      continue;
    }
    if (prev == kHead && next == link(kFirst)) continue;
    nodes[kNew].next.store(next);
    if (nodes[prev].next.compare_exchange_strong(next, link(kNew))) return;
  }
}

void remove_first() {
  std::uint32_t next = nodes[kFirst].next.load();
#ifdef FIXED
  while (!nodes[kFirst].next.compare_exchange_strong(next, next | 1)) {
  }
#endif
  std::uint32_t expected = link(kFirst);
  nodes[kHead].next.compare_exchange_strong(expected, next);  // BUG
}

}  // namespace

int main() {
  nodes[kHead].next = link(kFirst);
  std::thread inserter(insert_after_first), remover(remove_first);
  inserter.join();
  remover.join();
  assert(nodes[kHead].next.load() == link(kNew));
}
