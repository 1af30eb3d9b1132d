// What the neighbour computes is read in the phase in which it is computed.
// heddle-bug: kind=assert granularity=access class=order set=tuned
// fix: wait for|before
#include <barrier>
#include <cassert>
#include <thread>
static int cell[2];
static int out[2];
static std::barrier sync_point(2);
static void step(int me) {
  cell[me] = me + 1;       // BUG
  out[me] = cell[1 - me];  // BUG
  sync_point.arrive_and_wait();
}
int main() {
  std::thread a(step, 0), b(step, 1);
  a.join();
  b.join();
  assert(out[0] == 2 && out[1] == 1);
}
