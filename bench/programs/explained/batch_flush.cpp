// A batch is copied out under the lock and cleared under the lock, in two sections: what comes in between is lost.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: hold|one (lock|critical section)|same
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Batch {
 public:
  void add(int n) {
    std::lock_guard<std::mutex> hold(lock_);
    items_.push_back(n);
  }
  std::vector<int> copy() {
    std::lock_guard<std::mutex> hold(lock_);
    return items_;
  }
  void clear() {
    std::lock_guard<std::mutex> hold(lock_);
    items_.clear();
  }

 private:
  std::mutex lock_;
  std::vector<int> items_;
};

static Batch batch;
static std::vector<int> sent;

static void flush() {
  for (int n : batch.copy()) sent.push_back(n);  // BUG
  batch.clear();                                 // BUG
}

int main() {
  std::thread flusher(flush);
  batch.add(1);
  batch.add(2);
  flusher.join();
  flush();
  assert(sent.size() == 2);
}
