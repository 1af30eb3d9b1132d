// A two-lock queue with a dummy node whose dequeuer compares head and tail instead of following the
// link: the tail moves before the link is set, and the dequeuer follows a link that is not there yet.
// Stands for: Michael & Scott 1996 two-lock queue, "msqueue" rows of lock-free suites.
// Ours differs: nodes come from an array, the missing link shows as index 0.
// heddle-kernel: family=ms_queue kind=assert granularity=access optimum=1 class=order
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

constexpr int kNodes = 4;

struct Node {
  std::atomic<int> value{0};
  std::atomic<int> next{0};  // 0: none
};

Node nodes[kNodes];
std::atomic<int> head{1}, tail{1};  // node 1 is the first dummy
std::mutex head_lock, tail_lock;

void enqueue(int node, int value) {
  nodes[node].value = value;
  std::lock_guard guard(tail_lock);
  int last = tail.load();
#ifdef FIXED
  nodes[last].next = node;
  tail = node;
#else
  tail = node;  // BUG
  nodes[last].next = node;
#endif
}

int dequeue() {
  std::lock_guard guard(head_lock);
  int first = head.load();
#ifdef FIXED
  int next = nodes[first].next.load();
  if (next == 0) return 0;
#else
  if (first == tail.load()) return 0;
  int next = nodes[first].next.load();
#endif
  assert(next != 0);
  head = next;
  return nodes[next].value;
}

}  // namespace

int main() {
  int got = 0;
  std::thread producer([] {
    enqueue(2, 10);
    enqueue(3, 20);
  });
  std::thread consumer([&] {
    for (int i = 0; i < 2; i++) got += dequeue();
  });
  producer.join();
  consumer.join();
  assert(got == 0 || got == 10 || got == 30);
}
