// A poller looks every 100 us, ten times at most, and then goes on as if the answer were there.
// heddle-kernel: family=poll_deadline kind=assert granularity=access class=order
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> answer{0}, stage{0};

void worker() {
  for (int i = 0; i < 3; ++i) ++stage;
  answer = 42;
}

int main() {
  std::thread w(worker);
#ifdef FIXED
  while (answer.load() == 0) usleep(100);
#else
  for (int i = 0; i < 10 && answer.load() == 0; ++i) usleep(100);  // BUG
#endif
  assert(answer.load() == 42);
  w.join();
}
