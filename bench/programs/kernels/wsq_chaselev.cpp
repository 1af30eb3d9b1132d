// The lock-free work-stealing deque of Chase and Lev: the owner works at the bottom, thieves advance
// the top by compare-and-swap, and only the last element is contended.
// BUG=1: the owner takes the last element without the compare-and-swap. BUG=2: the thief reads the
// element after it has won it, when the owner may have reused the slot. BUG=3: the owner looks at the
// top before it has lowered the bottom.
// Stands for: the "dynamic work-stealing queue" variants of the CHESS suite (SCTBench chess.WSQ family).
// Ours differs: no growth, two slots reused by wrap-around, sequentially consistent atomics.
// heddle-kernel: family=wsq kind=assert granularity=access optimum=1:3,2:2,3:1 variants=BUG:1,BUG:2,BUG:3 class=1:atomicity,2:atomicity,3:order
#include <atomic>
#include <cassert>
#include <thread>

#ifndef BUG
#define BUG 1
#endif
#ifdef FIXED
#undef BUG
#define BUG 0
#endif

namespace {

constexpr int kItems = 3;
constexpr int kSize = 2;

std::atomic<long> top{0}, bottom{0};
std::atomic<int> slots[kSize];
std::atomic<int> runs[kItems];

bool push(int item) {
  long b = bottom.load();
  if (b - top.load() >= kSize) return false;
  slots[b % kSize].store(item);
  bottom.store(b + 1);
  return true;
}

bool pop(int& item) {
  long b = bottom.load() - 1;
  long t = 0;
  if (BUG == 3) {
    t = top.load();
    bottom.store(b);  // BUG:3
  } else {
    bottom.store(b);
    t = top.load();
  }
  if (t > b) {
    bottom.store(t);
    return false;
  }
  item = slots[b % kSize].load();
  if (t < b) return true;
  bool won = BUG == 1 || top.compare_exchange_strong(t, t + 1);  // BUG:1
  if (BUG == 1) top.store(b + 1);
  bottom.store(b + 1);
  return won;
}

bool steal(int& item) {
  long t = top.load();
  if (t >= bottom.load()) return false;
  if (BUG != 2) item = slots[t % kSize].load();
  if (!top.compare_exchange_strong(t, t + 1)) return false;
  if (BUG == 2) item = slots[t % kSize].load();  // BUG:2
  return true;
}

void owner() {
  int item = 0;
  for (int i = 0; i < kItems; i++) {
    if (!push(i)) {
      if (pop(item)) runs[item]++;
      while (!push(i))
        if (pop(item)) runs[item]++;
    }
  }
  while (pop(item)) runs[item]++;
}

void thief() {
  int item = 0;
  for (int i = 0; i < 2; i++)
    if (steal(item)) runs[item]++;
}

}  // namespace

int main() {
  std::thread a(owner), b(thief);
  a.join();
  b.join();
  for (auto& count : runs) assert(count == 1);
}
