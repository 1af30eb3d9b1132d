// Name and version are set in two critical sections; a reader comes in between.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|together|hold
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int version = 1, data = 1;

static void publish() {
  {
    std::lock_guard<std::mutex> hold(lock);
    version = 2;
  }
  std::lock_guard<std::mutex> hold(lock);  // BUG
  data = 2;
}

static void reader() {
  std::lock_guard<std::mutex> hold(lock);
  assert(version == data);
}

int main() {
  std::thread a(publish), b(reader);
  a.join();
  b.join();
}
