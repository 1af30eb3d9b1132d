// Masses are summed up a tree: a cell spins until its children say that they are done, and one says so before its mass is there.
// heddle-kernel: family=tree_mass kind=assert granularity=access class=order
#include <atomic>
#include <cassert>
#include <thread>

struct Cell {
  std::atomic<bool> done{false};
  int mass = 0;
} cells[3];

void leaf(int i, int mass) {
#ifdef FIXED
  cells[i].mass = mass;
  cells[i].done = true;
#else
  cells[i].done = true;
  cells[i].mass = mass;  // BUG
#endif
}

void inner() {
  int sum = 0;
  for (int i = 1; i < 3; ++i) {
    while (!cells[i].done.load()) std::this_thread::yield();
    sum += cells[i].mass;
  }
  cells[0].mass = sum;
}

int main() {
  std::thread a(inner), b(leaf, 1, 3), c(leaf, 2, 4);
  a.join();
  b.join();
  c.join();
  assert(cells[0].mass == 7);
}
