// A worker leaves by an exception with a bare lock().
// heddle-bug: kind=deadlock granularity=sync class=deadlock,misuse set=held
// fix: (unlock|give|release|every way).*
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int count;

static void step(bool fail) {
  lock.lock();  // BUG
  ++count;
  if (fail) throw std::runtime_error("no");
  lock.unlock();
}

static void worker(bool fail) {
  try {
    step(fail);
  } catch (const std::exception&) {
  }
}

int main() {
  std::thread a(worker, true), b(worker, false);
  a.join();
  b.join();
}
