// A relaxed counter decides who frees, so nothing orders the uses before it.
#include <atomic>
#include <thread>

struct Shared {
  std::atomic<int> users{2};
  int value = 0;
};
static Shared* shared = new Shared;
static void leave() {
  shared->value++;
  if (shared->users.fetch_sub(1, std::memory_order_relaxed) == 1) delete shared;
}

static void one() { leave(); }
static void two() { leave(); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
