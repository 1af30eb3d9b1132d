// heddle: expect=assert preemptions=1 runs<=200 message="seats >= 0"
// Check and act in two critical sections.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int seats = 1;

static void sell() {
  bool free_seat = false;
  {
    std::lock_guard<std::mutex> guard(lock);
    free_seat = seats > 0;
  }
  if (free_seat) {
    std::lock_guard<std::mutex> guard(lock);
    --seats;
    assert(seats >= 0);
  }
}

int main() {
  std::thread one(sell), two(sell);
  one.join();
  two.join();
  return 0;
}
