// A reader takes the read lock a second time behind a writer that waits; the lock prefers writers.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: (second|again|twice|already).*
#include <condition_variable>
#include <mutex>
#include <thread>

class FairLock {
 public:
  void lock_shared() {
    std::unique_lock<std::mutex> hold(m_);
    changed_.wait(hold, [this] { return !writing_ && waiting_ == 0; });
    ++readers_;
  }
  void unlock_shared() {
    std::lock_guard<std::mutex> hold(m_);
    --readers_;
    changed_.notify_all();
  }
  void lock() {
    std::unique_lock<std::mutex> hold(m_);
    ++waiting_;
    changed_.wait(hold, [this] { return !writing_ && readers_ == 0; });
    --waiting_;
    writing_ = true;
  }
  void unlock() {
    std::lock_guard<std::mutex> hold(m_);
    writing_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex m_;
  std::condition_variable changed_;
  int readers_ = 0, waiting_ = 0;
  bool writing_ = false;
};

static FairLock table;
static int size;

static int count() {
  table.lock_shared();  // BUG
  const int n = size;
  table.unlock_shared();
  return n;
}

static void report() {
  table.lock_shared();
  (void)count();  // BUG
  table.unlock_shared();
}

static void grow() {
  table.lock();
  ++size;
  table.unlock();
}

int main() {
  std::thread a(report), b(grow);
  a.join();
  b.join();
}
