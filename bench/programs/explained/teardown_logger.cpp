// The logger goes away while a worker that was only told to stop still writes to it.
// heddle-bug: kind=signal granularity=access class=uaf set=tuned
// fix: (join|wait for|end).*T1|before.*(frees|takes|clears|delet)
#include <atomic>
#include <thread>

struct Logger {
  int lines = 0;
};
static Logger* volatile logger;
static std::atomic<bool> stop{false};

static void worker() {
  while (!stop.load()) {
    logger->lines++;
    std::this_thread::yield();
  }
}

int main() {
  logger = new Logger;
  std::thread t(worker);
  stop.store(true);
  Logger* mine = logger;
  logger = nullptr;  // BUG
  t.join();          // FIX
  delete mine;
}
