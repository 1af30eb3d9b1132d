// A counter in shards: when a shard is full it is folded into the sum, and what was added between reading and clearing is lost.
// heddle-kernel: family=counter_sharded kind=assert granularity=access class=atomicity
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

std::atomic<int> shards[2], sum{0};

void fold(std::atomic<int>& shard) {
#ifdef FIXED
  sum += shard.exchange(0);
#else
  sum += shard.load();
  shard = 0;  // BUG
#endif
}

void add(int me) {
  for (int i = 0; i < 3; ++i) {
    if (++shards[me % 2] >= 2) fold(shards[me % 2]);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(add, i);
  for (std::thread& t : threads) t.join();
  assert(sum + shards[0] + shards[1] == 9);
}
