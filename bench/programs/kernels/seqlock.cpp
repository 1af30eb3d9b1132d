// A sequence lock whose reader checks that no write is going on but not that none has happened since:
// it returns one half of the old pair and one half of the new.
// Stands for: seqlock readers without the retry test (Boehm 2012; kernel bug reports).
// Ours differs: sequentially consistent atomics, one write.
// heddle-kernel: family=seqlock kind=assert granularity=access optimum=1 class=atomicity
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<unsigned> sequence{0};
std::atomic<int> x{0}, y{0};

void store_pair(int value) {
  sequence++;
  x = value;
  y = value;
  sequence++;
}

void load_pair() {
  for (;;) {
    unsigned before = sequence.load();
    if (before % 2 == 1) {
      std::this_thread::yield();
      continue;
    }
    int seen_x = x.load();
    int seen_y = y.load();
#ifdef FIXED
    if (sequence.load() != before) continue;
#endif
    assert(seen_x == seen_y);  // BUG
    return;
  }
}

}  // namespace

int main() {
  std::thread writer(store_pair, 1), reader(load_pair);
  writer.join();
  reader.join();
}
