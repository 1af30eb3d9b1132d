// Clocks, process numbers and random bytes are of one world from the first static initialiser to the last handler of exit.
// heddle: expect=none runs<=10
#include <sys/random.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

using Steady = std::chrono::steady_clock;

static const auto start = Steady::now();
static const time_t wall = time(nullptr);
static const pid_t number = getpid();
static unsigned drawn() {
  unsigned value = 0;
  return getrandom(&value, sizeof value, 0) == sizeof value ? value : 0;
}
static const unsigned early = drawn();

static bool one_world() {
  const auto passed = Steady::now() - start;
  const time_t seconds = time(nullptr) - wall;
  return passed.count() >= 0 && passed < std::chrono::seconds(5) && seconds >= 0 && seconds < 5 && getpid() == number;
}
static void at_the_end() {
  if (!one_world()) _exit(9);
}

int main() {
  std::atexit(at_the_end);
  bool same = false;
  std::thread other([&] { same = one_world(); });
  other.join();
  return same && one_world() && early != 0 && early != drawn() ? 0 : 1;
}
