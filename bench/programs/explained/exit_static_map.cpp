// A detached reporter still uses a static table when main has returned and its destructor ran.
// heddle-bug: kind=assert,signal,abort granularity=access class=uaf,order set=held
// fix: join|wait|end|before
#include <atomic>
#include <cassert>
#include <thread>

struct Table {
  std::atomic<bool> alive{true};
  int rows = 3;
  ~Table() { alive = false; }
};

static Table table;

static void report() {
  for (int i = 0; i < 2; ++i) {
    assert(table.alive);  // BUG
    table.rows++;
  }
}

int main() {
  std::thread(report).detach();  // FIX
  return 0;                      // FIX
}
