// wait_for came back because its time was over, and what it waited for is used all the same.
// heddle-bug: kind=signal granularity=sync class=wait set=held
// fix: (result|time-?out|again|loop|while|predicate).*
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static int* volatile answer;

static void reader() {
  std::unique_lock<std::mutex> hold(lock);
  if (answer == nullptr) filled.wait_for(hold, std::chrono::milliseconds(5));  // BUG
  *answer += 1;
}

static void writer() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::lock_guard<std::mutex> hold(lock);
  answer = new int(1);
  filled.notify_one();
}

int main() {
  std::thread a(reader), b(writer);
  a.join();
  b.join();
}
