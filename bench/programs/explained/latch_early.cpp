// A worker counts the latch down before its result is stored.
// heddle-bug: kind=assert granularity=access class=order set=tuned
// fix: before|first|wait
#include <cassert>
#include <latch>
#include <thread>
#include <vector>

struct Task {
  int input;
  int output = 0;
};

static void compute(Task& task, std::latch& done) {
  const int square = task.input * task.input;
  done.count_down();  // BUG
  task.output = square;
}

int main() {
  std::latch done(2);
  std::vector<Task> tasks{{2}, {3}};
  std::vector<std::thread> threads;
  for (auto& task : tasks) threads.emplace_back([&task, &done] { compute(task, done); });
  done.wait();
  const int sum = tasks[0].output + tasks[1].output;
  for (auto& t : threads) t.join();
  assert(sum == 13);
}
