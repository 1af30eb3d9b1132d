// A sequence lock whose reader looks at the number before it reads, and not again after.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
// fix: lock|again|together|one critical section|hold|one (atomic )?step
#include <atomic>
#include <cassert>
#include <thread>

struct Point {
  std::atomic<unsigned> sequence{0};
  std::atomic<int> x{0}, y{0};
};

static Point point;

static void move(int to) {
  point.sequence++;
  point.x = to;
  point.y = to;
  point.sequence++;
}

static void read_point() {
  while (point.sequence & 1) std::this_thread::yield();  // BUG
  const int x = point.x;                                 // BUG
  const int y = point.y;                                 // BUG
  assert(x == y);
}

int main() {
  std::thread a(move, 5), b(read_point);
  a.join();
  b.join();
}
