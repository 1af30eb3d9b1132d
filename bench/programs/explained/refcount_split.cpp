// The count is lowered and tested in two steps: two threads free it.
// heddle-bug: kind=misuse,abort granularity=access class=uaf,atomicity set=tuned
// fix: one (atomic )?step|result of|(one|same) (critical section|lock)|hold
#include <atomic>
#include <cstdlib>
#include <thread>

struct Shared {
  std::atomic<int> count{2};
  int value = 1;
};

static void release(Shared* s) {
  s->count.fetch_sub(1);                   // BUG
  if (s->count.load() == 0) std::free(s);  // BUG
}

int main() {
  auto* s = static_cast<Shared*>(std::malloc(sizeof(Shared)));
  new (s) Shared;
  std::thread a(release, s), b(release, s);
  a.join();
  b.join();
}
