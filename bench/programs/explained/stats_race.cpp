// Two workers add to the totals of a shared structure without a lock.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=tuned
// fix: lock|atomic
#include <cassert>
#include <thread>
#include <vector>

struct Totals {
  long files = 0;
  long bytes = 0;
};

static void scan(Totals& totals, int first, int last) {
  for (int f = first; f < last; ++f) {
    totals.files += 1;    // BUG
    totals.bytes += 100;  // BUG
  }
}

int main() {
  Totals totals;
  std::vector<std::thread> scanners;
  for (int i = 0; i < 2; ++i) scanners.emplace_back([&totals, i] { scan(totals, i * 2, i * 2 + 2); });
  for (auto& s : scanners) s.join();
  assert(totals.files == 4 && totals.bytes == 400);
}
