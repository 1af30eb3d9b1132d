// A ring for one producer that has two: they take the same slot.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
#include <cassert>
#include <thread>

static int ring[8];
static unsigned head;

static void produce(int value) {
  const unsigned at = head;  // BUG
  ring[at % 8] = value;      // BUG
  head = at + 1;             // BUG
}

int main() {
  std::thread a(produce, 1), b(produce, 2);
  a.join();
  b.join();
  assert(head == 2 && ring[0] + ring[1] == 3);
}
