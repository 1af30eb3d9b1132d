// The same in C++: condition_variable_any over a recursive_mutex that is held twice.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: recursive|twice|once more|2 times
#include <condition_variable>
#include <mutex>
#include <thread>

static std::recursive_mutex lock;
static std::condition_variable_any changed;
static int jobs;

static void take_job() {
  std::unique_lock<std::recursive_mutex> hold(lock);
  changed.wait(hold, [] { return jobs > 0; });  // BUG
  --jobs;
}

static void consumer() {
  std::lock_guard<std::recursive_mutex> hold(lock);  // BUG
  take_job();
}

static void producer() {
  std::lock_guard<std::recursive_mutex> hold(lock);
  ++jobs;
  changed.notify_one();
}

int main() {
  std::thread a(consumer), b(producer);
  a.join();
  b.join();
}
