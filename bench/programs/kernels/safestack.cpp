// A stack of free slots kept by index: pop detaches the head's link with an exchange, then swings the
// head with a compare-and-swap that does not notice that the head went away and came back.
// Three threads keep popping a slot, marking it as theirs and pushing it; a slot owned twice shows.
// Stands for: "SafeStack" of Vyukov (CHESS forum; SCTBench misc.safestack), known to need three threads
// and several preemptions.
// Ours differs: three slots and two rounds a thread; retries and the owner yield; the fixed twin has a
// version tag in the head. The optimum comes from an exhaustive search of a model of these steps.
// heddle-kernel: family=safestack kind=assert granularity=access optimum=6 class=atomicity
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

constexpr int kSlots = 3;
constexpr int kRounds = 2;

struct Slot {
  std::atomic<int> next{-1};
  std::atomic<int> owner{0};
};

Slot slots[kSlots];

#ifdef FIXED

std::atomic<std::uint64_t> head{0};  // version in the upper half, index in the lower

std::uint64_t pack(std::uint64_t version, int index) { return version << 32 | static_cast<std::uint32_t>(index); }

int pop() {
  std::uint64_t h = head.load();
  for (;;) {
    int index = static_cast<int>(h & 0xffffffffU);
    if (index == -1) return -1;
    if (head.compare_exchange_strong(h, pack((h >> 32) + 1, slots[index].next.load()))) return index;
  }
}

void push(int index) {
  std::uint64_t h = head.load();
  do {
    slots[index].next.store(static_cast<int>(h & 0xffffffffU));
  } while (!head.compare_exchange_strong(h, pack((h >> 32) + 1, index)));
}

#else

std::atomic<int> head{0};
std::atomic<int> count{kSlots};

int pop() {
  while (count.load() > 1) {
    int h = head.load();
    int next = slots[h].next.exchange(-1);
    if (next >= 0) {
      int expected = h;
      if (head.compare_exchange_strong(expected, next)) {  // BUG
        count.fetch_sub(1);
        return h;
      }
      slots[h].next.exchange(next);
    }
    std::this_thread::yield();
  }
  return -1;
}

void push(int index) {
  int h = head.load();
  do {
    slots[index].next.store(h);
  } while (!head.compare_exchange_strong(h, index));
  count.fetch_add(1);
}

#endif

void work(int id) {
  for (int round = 0; round < kRounds; round++) {
    int index = pop();
    while (index < 0) {
      std::this_thread::yield();
      index = pop();
    }
    slots[index].owner.store(id);
    std::this_thread::yield();
    assert(slots[index].owner.load() == id);
    push(index);
  }
}

}  // namespace

int main() {
  for (int i = 0; i < kSlots; i++) slots[i].next.store(i + 1 < kSlots ? i + 1 : -1);
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join();
  b.join();
  c.join();
}
