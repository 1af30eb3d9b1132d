// Peterson's protocol with the turn given before the wish is announced.
// heddle-bug: kind=assert granularity=access class=atomicity,order set=held
// fix: mutex|lock|one (atomic )?step|exchange|announce|before
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> wants[2], turn, inside;

static void worker(int me) {
  turn = 1 - me;  // BUG
  wants[me] = 1;  // BUG
  while (wants[1 - me] && turn == 1 - me) std::this_thread::yield();
  const int now = inside.fetch_add(1);
  assert(now == 0);
  inside.fetch_sub(1);
  wants[me] = 0;
}

int main() {
  std::thread a(worker, 0), b(worker, 1);
  a.join();
  b.join();
}
