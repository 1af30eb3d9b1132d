// Two threads append to a vector without a lock.
// heddle-bug: kind=assert,misuse,signal,abort granularity=access class=race,atomicity,uaf set=held
// fix: lock
#include <cassert>
#include <thread>
#include <vector>

static std::vector<int> values;

static void append(int v) {
  values.push_back(v);  // BUG
}

int main() {
  std::thread a(append, 1), b(append, 2);
  a.join();
  b.join();
  assert(values.size() == 2);
}
