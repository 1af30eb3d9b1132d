// The importer publishes rows under the catalogue's lock; when the queue is full it waits, and the consumer needs that lock.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,lost-wakeup set=held
// fix: release|before|without|give
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
 public:
  void push(int row) {
    std::unique_lock<std::mutex> hold(lock_);
    room_.wait(hold, [&] { return rows_.size() < 2; });
    rows_.push_back(row);
    filled_.notify_one();
  }
  int pop() {
    std::unique_lock<std::mutex> hold(lock_);
    filled_.wait(hold, [&] { return !rows_.empty(); });
    const int row = rows_.front();
    rows_.pop_front();
    room_.notify_one();
    return row;
  }

 private:
  std::mutex lock_;
  std::condition_variable room_, filled_;
  std::deque<int> rows_;
};

static std::mutex catalogue;
static int imported, seen;

static void import_rows(Queue& queue) {
  for (int row = 0; row < 4; ++row) {
    std::lock_guard<std::mutex> hold(catalogue);  // FIX
    ++imported;
    queue.push(row);  // BUG
  }
}

static void index_rows(Queue& queue) {
  for (int i = 0; i < 4; ++i) {
    queue.pop();
    std::lock_guard<std::mutex> hold(catalogue);
    ++seen;
  }
}

int main() {
  Queue queue;
  std::thread importer(import_rows, std::ref(queue)), indexer(index_rows, std::ref(queue));
  importer.join();
  indexer.join();
  return seen == imported ? 0 : 1;
}
