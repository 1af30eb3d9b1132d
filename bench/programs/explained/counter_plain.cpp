// An int that two threads raise.
// heddle-bug: kind=assert granularity=access class=race set=held
// fix: lock|atomic
#include <cassert>
#include <thread>

static int hits;

static void visit() {
  for (int i = 0; i < 2; ++i) ++hits;  // BUG
}

int main() {
  std::thread a(visit), b(visit);
  a.join();
  b.join();
  assert(hits == 4);
}
