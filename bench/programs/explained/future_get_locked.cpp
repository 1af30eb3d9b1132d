// The session asks its worker and waits for the answer while it holds the lock that the worker needs for some answers.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: before|release
#include <future>
#include <mutex>
#include <thread>

struct Session {
  std::mutex lock;
  int cached = 0;
  bool warm = false;
};

static int compute(Session& s) {
  std::unique_lock<std::mutex> hold(s.lock, std::try_to_lock);
  if (hold) return 1;
  std::lock_guard<std::mutex> wait(s.lock);
  return s.cached + 1;
}

static int ask(Session& s) {
  std::packaged_task<int()> task([&s] { return compute(s); });
  std::future<int> answer = task.get_future();
  std::thread worker(std::move(task));
  int value = 0;
  {
    std::lock_guard<std::mutex> hold(s.lock);  // FIX
    value = answer.get();                      // BUG
    s.cached = value;
  }
  worker.join();
  return value;
}

int main() {
  Session s;
  return ask(s) > 0 ? 0 : 1;
}
