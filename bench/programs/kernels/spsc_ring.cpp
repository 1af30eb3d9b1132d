// A single-producer single-consumer ring that advances its tail before the element is stored: the
// consumer takes a slot that still holds the old value.
// Stands for: publish-before-store in lock-free rings (DPDK- and audio-style queues).
// Ours differs: broken in program order, so it fails under sequential consistency.
// heddle-kernel: family=spsc_ring kind=assert granularity=access optimum=1 class=order
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr unsigned kSlots = 2;
constexpr int kItems = 3;

std::atomic<int> slots[kSlots];
std::atomic<unsigned> head{0}, tail{0};

void put(int item) {
  unsigned t = tail.load();
  while (t - head.load() == kSlots) std::this_thread::yield();
#ifdef FIXED
  slots[t % kSlots].store(item);
  tail.store(t + 1);
#else
  tail.store(t + 1);  // BUG
  slots[t % kSlots].store(item);
#endif
}

int take() {
  unsigned h = head.load();
  while (tail.load() == h) std::this_thread::yield();
  int item = slots[h % kSlots].load();
  head.store(h + 1);
  return item;
}

}  // namespace

int main() {
  std::thread producer([] {
    for (int i = 1; i <= kItems; i++) put(i);
  });
  std::thread consumer([] {
    for (int i = 1; i <= kItems; i++) assert(take() == i);
  });
  producer.join();
  consumer.join();
}
