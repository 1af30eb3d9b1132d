// std::shared_ptr frees after the last owner.
#include <atomic>
#include <memory>
#include <thread>

static std::shared_ptr<int> p = std::make_shared<int>(1);
static std::shared_ptr<int> p1 = p, p2 = p;
int seen1, seen2;

static void one() {
  seen1 = *p1;
  p1.reset();
}
static void two() {
  seen2 = *p2;
  p2.reset();
}

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
