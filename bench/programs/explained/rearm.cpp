// A timer fires for the generation it has read; it is armed anew before the action.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: hold|one critical section|again
#include <cassert>
#include <mutex>
#include <thread>

struct Timer {
  std::mutex m;
  int generation = 1;
  int armed_for = 1;
  int fired_for = 0;

  void rearm() {
    std::lock_guard<std::mutex> g(m);
    ++generation;
    armed_for = generation;
  }
  void expire() {
    int mine;
    {
      std::lock_guard<std::mutex> g(m);
      mine = generation;
    }
    std::lock_guard<std::mutex> g(m);  // BUG
    fired_for = mine;
    assert(fired_for == armed_for);
  }
};

int main() {
  Timer timer;
  std::thread wheel(&Timer::expire, &timer);
  std::thread user(&Timer::rearm, &timer);
  wheel.join();
  user.join();
}
