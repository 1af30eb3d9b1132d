// Name and length in two atomics; the reader takes one of each.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: (one|same) (critical section|lock)|together
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> width{640}, height{480};

static void resize() {
  width.store(1920);   // BUG
  height.store(1080);  // BUG
}

static void draw() {
  const int w = width.load();
  const int h = height.load();
  assert((w == 640 && h == 480) || (w == 1920 && h == 1080));
}

int main() {
  std::thread a(resize), b(draw);
  a.join();
  b.join();
}
