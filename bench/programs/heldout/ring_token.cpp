// A token goes round a ring of mailboxes; a node that finds no token anywhere makes a new one, after looking at the mailboxes one by one while the token moves.
// heddle-kernel: family=ring_token kind=assert granularity=sync class=atomicity
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kNodes = 4;
std::mutex all;
struct Box {
  std::mutex lock;
  int tokens = 0;
} boxes[kNodes];

void pass(int from) {
#ifdef FIXED
  const std::lock_guard<std::mutex> whole(all);
#endif
  int got = 0;
  {
    const std::lock_guard<std::mutex> guard(boxes[from].lock);
    got = boxes[from].tokens;
    boxes[from].tokens = 0;
  }
  const std::lock_guard<std::mutex> guard(boxes[(from + 1) % kNodes].lock);
  boxes[(from + 1) % kNodes].tokens += got;
}

void node(int me) {
  for (int i = 0; i < 2; ++i) pass((me + i) % kNodes);
}

void watch() {
#ifdef FIXED
  const std::lock_guard<std::mutex> whole(all);
#endif
  int seen = 0;
  for (Box& b : boxes) {
    const std::lock_guard<std::mutex> guard(b.lock);  // BUG
    seen += b.tokens;
  }
  if (seen > 0) return;
  const std::lock_guard<std::mutex> guard(boxes[0].lock);
  ++boxes[0].tokens;
}

int main() {
  boxes[0].tokens = 1;
  std::vector<std::thread> threads;
  threads.emplace_back(watch);
  for (int i = 0; i < 3; ++i) threads.emplace_back(node, i);
  for (std::thread& t : threads) t.join();
  int tokens = 0;
  for (const Box& b : boxes) tokens += b.tokens;
  assert(tokens == 1);
}
