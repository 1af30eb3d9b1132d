// Two workers race for the right to fulfil a promise: each asks whether it has been fulfilled and then
// fulfils it; the second one's call throws.
// Stands for: the set-twice race on futures (first-answer-wins code).
// Ours differs: std::promise, so the failure is an uncaught std::future_error.
// heddle-kernel: family=promise_twice kind=exception granularity=sync optimum=1 class=atomicity
#include <future>
#include <mutex>
#include <thread>

namespace {

std::mutex lock;
bool answered = false;
std::promise<int> promise;

void answer(int value) {
  std::unique_lock guard(lock);
  if (answered) return;
#ifndef FIXED
  guard.unlock();  // BUG
#endif
  promise.set_value(value);
#ifndef FIXED
  guard.lock();
#endif
  answered = true;
}

}  // namespace

int main() {
  std::thread a(answer, 1), b(answer, 2);
  a.join();
  b.join();
  int first = promise.get_future().get();
  return first != 1 && first != 2;
}
