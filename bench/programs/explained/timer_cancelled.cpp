// cancel() only sets a flag; the timer thread may be past its look at it when the session is deleted.
// heddle-bug: kind=signal,abort,assert granularity=access class=uaf set=tuned
// fix: must not take `target` away
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Session {
  std::mutex lock;
  int ticks = 0;
  bool alive = true;
  void end() { alive = false; }
};

struct Timer {
  std::mutex lock;
  bool cancelled = false;
  Session* target = nullptr;

  void fire() {
    {
      std::lock_guard<std::mutex> g(lock);
      if (cancelled) return;
    }
    std::lock_guard<std::mutex> g(target->lock);  // BUG
    assert(target->alive);
    ++target->ticks;
  }
  void cancel() {
    std::lock_guard<std::mutex> g(lock);
    cancelled = true;
  }
};

alignas(Session) static char room[sizeof(Session)];

int main() {
  Timer timer;
  timer.target = new (room) Session;
  std::thread t(&Timer::fire, &timer);
  timer.cancel();
  timer.target->end();  // FIX
  t.join();
}
