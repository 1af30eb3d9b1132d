// The pool's destructor tears down its state while a worker is between two jobs.
// heddle-bug: kind=signal granularity=sync class=uaf set=tuned
// fix: (join|wait for|end).*T1|before
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

struct State {
  std::mutex lock;
  std::deque<int>* jobs = new std::deque<int>{1, 2};
};
static State state;

static void worker() {
  for (int i = 0; i < 2; ++i) {
    std::lock_guard<std::mutex> hold(state.lock);
    if (!state.jobs->empty()) state.jobs->pop_front();
  }
}

int main() {
  std::thread t(worker);
  {
    std::lock_guard<std::mutex> hold(state.lock);
    delete state.jobs;
    state.jobs = nullptr;  // BUG
  }
  t.join();  // FIX
}
