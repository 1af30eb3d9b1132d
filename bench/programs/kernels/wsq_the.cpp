// A work-stealing queue by the THE protocol: the owner pops at the tail without the lock and takes it
// only on conflict; thieves steal at the head under the lock.
// BUG=1: on conflict the owner decides without the lock. BUG=2: a thief that fails leaves the head
// advanced. BUG=3: the owner reads the head before it has lowered the tail.
// Stands for: "WorkStealQueue" of CHESS (Musuvathi & Qadeer 2007), after Cilk-5 (Frigo et al. 1998).
// Ours differs: fixed array, one thief, two items; every item must be run exactly once.
// heddle-kernel: family=wsq kind=assert granularity=access optimum=1:4,2:0,3:1 variants=BUG:1,BUG:2,BUG:3 class=1:atomicity,2:order,3:order
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef BUG
#define BUG 1
#endif
#ifdef FIXED
#undef BUG
#define BUG 0
#endif

namespace {

constexpr int kItems = 2;
constexpr int kSize = 4;

std::mutex lock;
std::atomic<long> head{0}, tail{0};
std::atomic<int> slots[kSize];
std::atomic<int> runs[kItems];

void push(int item) {
  long t = tail.load();
  slots[t % kSize].store(item);
  tail.store(t + 1);
}

bool pop(int& item) {
  if (BUG == 3) {
    long h = head.load();
    long t = tail.load() - 1;
    tail.store(t);  // BUG:3
    if (h <= t) {
      item = slots[t % kSize].load();
      return true;
    }
    tail.store(t + 1);
    return false;
  }
  long t = tail.load() - 1;
  tail.store(t);
  if (head.load() > t) {
    tail.store(t + 1);
    if (BUG != 1) lock.lock();
    t = tail.load() - 1;
    bool left = head.load() <= t;  // BUG:1
    if (left) tail.store(t);
    if (BUG != 1) lock.unlock();
    if (!left) return false;
  }
  item = slots[t % kSize].load();
  return true;
}

bool steal(int& item) {
  std::lock_guard guard(lock);
  long h = head.load();
  head.store(h + 1);
  if (h + 1 > tail.load()) {
    if (BUG != 2) head.store(h);  // BUG:2
    return false;
  }
  item = slots[h % kSize].load();
  return true;
}

void owner() {
  int item = 0;
  for (int i = 0; i < kItems; i++) push(i);
  for (int i = 0; i < kItems; i++)
    if (pop(item)) runs[item]++;
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
  int item = 0;
  while (pop(item)) runs[item]++;
  for (auto& count : runs) assert(count == 1);
}
