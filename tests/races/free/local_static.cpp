// A local static is initialised once.
#include <atomic>
#include <thread>

struct Table {
  int values[4];
  Table() {
    for (int i = 0; i < 4; ++i) values[i] = i;
  }
};
static int get(int i) {
  static Table table;
  return table.values[i];
}
static thread_local int seen;

static void one() { seen = get(1); }
static void two() { seen = get(2); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
