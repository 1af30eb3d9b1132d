// A reference count with the usual orders frees after the last use.
#include <atomic>
#include <thread>

struct Shared {
  std::atomic<int> users{2};
  int value = 0;
  int other = 0;
};
static Shared* shared = new Shared;
static void leave() {
  if (shared->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
}

static void one() {
  shared->value = 1;
  leave();
}
static void two() {
  shared->other = 2;
  leave();
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
