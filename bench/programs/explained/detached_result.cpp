// The worker is detached and writes to a vector that main has already given up.
// heddle-bug: kind=misuse,signal granularity=access class=uaf set=held
// fix: (wait|end|join|before).*
#include <atomic>
#include <thread>

static std::atomic<bool> started{false};

int main() {
  int* results = new int[4]{};
  std::thread worker([results] {
    started = true;
    results[1] = 7;  // BUG
  });
  while (!started.load()) std::this_thread::yield();
  delete[] results;  // BUG
  worker.join();
}
