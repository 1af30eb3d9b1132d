// Two candidates each look at the epoch and at the leader; it takes two windows for both to lead one epoch.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: one (atomic )?step|hold|compare|one lock|together
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> epoch{0}, leader{0};
static int led[3];

static void stand(int me) {
  const int seen = epoch.load();
  if (leader.load() != 0) return;
  leader.store(me);  // BUG
  if (epoch.load() != seen) return;
  if (leader.load() == me) led[me] = seen + 1;
}

int main() {
  std::thread a(stand, 1), b(stand, 2);
  a.join();
  b.join();
  assert(!(led[1] && led[2]));
}
