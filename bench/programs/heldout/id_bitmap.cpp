// Numbers are given out from a bitmap: the first free bit is looked for, and set in a second step.
// heddle-kernel: family=id_bitmap kind=assert granularity=access class=atomicity
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

std::atomic<unsigned> bits{0};
std::atomic<int> owners[8];

void allocate() {
  for (int turn = 0; turn < 2; ++turn) {
#ifdef FIXED
    unsigned seen = bits.load();
    while (!bits.compare_exchange_strong(seen, seen | (~seen & (seen + 1)))) {
    }
    const unsigned bit = ~seen & (seen + 1);
#else
    const unsigned seen = bits.load();
    const unsigned bit = ~seen & (seen + 1);
    bits.fetch_or(bit);  // BUG
#endif
    int index = 0;
    while (bit >> index != 1u) ++index;
    assert(owners[index].fetch_add(1) == 0);
  }
}

int main() {
  std::thread a(allocate), b(allocate), c(allocate);
  a.join();
  b.join();
  c.join();
}
