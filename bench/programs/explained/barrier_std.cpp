// A std::barrier for three: one of the three threads leaves after the first phase, so that the second never ends.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: barrier .phase. than its count|fewer arrive at the barrier .phase.
#include <barrier>
#include <thread>
#include <vector>

int main() {
  std::barrier phase(3);  // BUG
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; i++) {
    workers.emplace_back([&phase, i] {
      phase.arrive_and_wait();
      if (i == 2) return;
      phase.arrive_and_wait();  // FIX
    });
  }
  for (std::thread& worker : workers) worker.join();
}
