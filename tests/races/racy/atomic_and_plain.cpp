// The same variable, atomically on one side and plainly on the other.
#include <atomic>
#include <thread>

static int value;
int seen;

static void one() { __atomic_store_n(&value, 1, __ATOMIC_SEQ_CST); }
static void two() { seen = value; }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
