// Two threads append to a vector that has room for both.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
#include <cassert>
#include <thread>
#include <vector>

static std::vector<int> results;

static void append(int value) {
  results.push_back(value);  // BUG
}

int main() {
  results.reserve(8);
  std::thread a(append, 1), b(append, 2);
  a.join();
  b.join();
  assert(results.size() == 2);
}
