// The largest value so far: a smaller one overwrites a larger.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
#include <cassert>
#include <thread>

static int largest;

static void report(int value) {
  if (value > largest)  // BUG
    largest = value;    // BUG
}

int main() {
  std::thread a(report, 5), b(report, 9);
  a.join();
  b.join();
  assert(largest == 9);
}
