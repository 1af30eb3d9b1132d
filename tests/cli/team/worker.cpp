#include <thread>

static int counter;

// Two increments without a lock: one is lost under some schedule.
int main() {
  std::thread other([] { ++counter; });
  ++counter;
  other.join();
  return counter == 2 ? 0 : 1;
}
