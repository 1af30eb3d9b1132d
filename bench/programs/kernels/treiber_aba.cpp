// Treiber's stack on a pool of nodes without version tags: a popper that read the head and its
// successor sleeps while another thread pops both and pushes the first back; its compare-and-swap
// succeeds and brings a node back that is in use.
// Stands for: the ABA problem as in Michael 2004 and the CVE-like kernels of ConVul.
// Ours differs: two threads, two nodes.
// heddle-kernel: family=aba kind=assert granularity=access optimum=1 class=atomicity
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

struct Node {
  std::atomic<int> next{-1};
  std::atomic<int> users{0};
};

Node nodes[2];

#ifdef FIXED
constexpr std::uint64_t kVersion = std::uint64_t{1} << 32;
#else
constexpr std::uint64_t kVersion = 0;
#endif
std::atomic<std::uint64_t> head{0};

int index_of(std::uint64_t h) { return static_cast<int>(h & 0xffffffffU) - 1; }
std::uint64_t next_head(std::uint64_t h, int index) {
  return (h & ~std::uint64_t{0xffffffffU}) + kVersion + static_cast<std::uint64_t>(index + 1);
}

int pop() {
  std::uint64_t h = head.load();
  for (;;) {
    int top = index_of(h);
    if (top < 0) return -1;
    int next = nodes[top].next.load();
    if (head.compare_exchange_strong(h, next_head(h, next))) {  // BUG
      int users = nodes[top].users.fetch_add(1);
      assert(users == 0);
      return top;
    }
  }
}

void push(int index) {
  nodes[index].users.fetch_sub(1);
  std::uint64_t h = head.load();
  do {
    nodes[index].next.store(index_of(h));
  } while (!head.compare_exchange_strong(h, next_head(h, index)));
}

void one_pop_two() {
  int first = pop();
  int second = pop();
  if (second >= 0) push(second);
  if (first >= 0) push(first);
}

void keep_one() {
  int first = pop();
  int second = pop();
  if (first >= 0) push(first);
  (void)second;  // stays in use
}

}  // namespace

int main() {
  push(0);
  push(1);
  nodes[0].users = nodes[1].users = 0;
  std::thread a(one_pop_two), b(keep_one);
  a.join();
  b.join();
}
