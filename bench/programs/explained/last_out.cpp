// The last of three to finish writes the summary; the count is lowered and looked at in two critical sections, so two are the last.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: hold|one critical section
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Batch {
  std::mutex m;
  int left = 3;
  int summaries = 0;

  void lower() {
    std::lock_guard<std::mutex> g(m);
    --left;
  }
  bool last() {
    std::lock_guard<std::mutex> g(m);
    return left == 0;
  }
  void finish() {
    lower();
    if (last()) {  // BUG
      std::lock_guard<std::mutex> g(m);
      ++summaries;
    }
  }
};

int main() {
  Batch batch;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(&Batch::finish, &batch);
  for (auto& t : threads) t.join();
  assert(batch.summaries == 1);
}
