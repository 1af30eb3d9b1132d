// A free list of slot numbers: the head is compared with a number that came back in between.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: lock|one (atomic )?step|compare|version|tag|lock
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> head{0};
static std::atomic<int> next_of[3] = {1, 2, -1};
static std::atomic<int> used[3];

static int take() {
  for (;;) {
    int at = head.load();  // BUG
    if (at < 0) return -1;
    const int after = next_of[at].load();
    if (head.compare_exchange_strong(at, after)) {  // BUG
      const int before = used[at].fetch_add(1);
      assert(before == 0);
      return at;
    }
  }
}

static void put(int at) {
  used[at].fetch_sub(1);
  int old = head.load();
  do {
    next_of[at].store(old);
  } while (!head.compare_exchange_strong(old, at));
}

static void one() {
  const int a = take();
  if (a >= 0) put(a);
}

static void two() {
  const int a = take();
  const int b = take();
  if (a >= 0) put(a);
  const int c = take();
  const int d = take();
  (void)b, (void)c, (void)d;
}

int main() {
  std::thread x([] { take(); }), y(two);
  (void)one;
  x.join();
  y.join();
}
