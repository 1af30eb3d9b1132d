// 450 threads on an array list whose single operations are locked, as Java's synchronizedList does it.
// Most only read; one copies the list by size and index, one empties it. A copy with the emptying in
// its middle asks for an element that is gone, and the list throws.
// usage: arraylist [COPIER EMPTIER [THREADS]]   positions of the two threads, 137 and 311 of 450 by default
// Stands for: row "ArrayList" of LEAN Tables 1-4 (not-atomic bug, 450 threads; Sun JDK 1.4.2).
// Ours differs: C++; the positions of the two threads that matter can be chosen.
// heddle-kernel: family=arraylist kind=exception granularity=sync optimum=1 class=atomicity paper=lean row=ArrayList
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "late.h"

namespace {

constexpr int kIterations = LATE > 0 ? 10 : 1;

class ArrayList {
 public:
  void add(int value) {
    std::lock_guard guard(lock_);
    values_.push_back(value);
  }
  std::size_t size() {
    std::lock_guard guard(lock_);
    return values_.size();
  }
  int get(std::size_t index) {
    std::lock_guard guard(lock_);
    return values_.at(index);
  }
  bool contains(int value) {
    std::lock_guard guard(lock_);
    for (int v : values_)
      if (v == value) return true;
    return false;
  }
  void clear() {
    std::lock_guard guard(lock_);
    values_.clear();
  }
  std::vector<int> copy() {
#ifdef FIXED
    std::lock_guard guard(lock_);
    return values_;
#else
    std::vector<int> result;
    std::size_t count = size();
    for (std::size_t i = 0; i < count; i++) result.push_back(get(i));  // BUG
    return result;
#endif
  }

 private:
  std::mutex lock_;
  std::vector<int> values_;
};

ArrayList list;

void copier() {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      if (late_is_safe(i)) {
        list.size();
        continue;
      }
      std::vector<int> mine = list.copy();
      if (!mine.empty() && mine.size() != 3) std::abort();
    }
}

void emptier() {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      if (late_is_safe(i)) {
        list.size();
      } else {
        list.clear();
      }
    }
}

void reader(int me) {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      list.contains(me);
    }
}

}  // namespace

int main(int argc, char** argv) {
  auto argument = [&](int index, int otherwise) { return argc > index ? std::atoi(argv[index]) : otherwise; };
  const int copier_at = argument(1, 137), emptier_at = argument(2, 311), count = argument(3, 450);
  for (int value : {1, 2, 3}) list.add(value);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) {
    if (i == copier_at)
      threads.emplace_back(copier);
    else if (i == emptier_at)
      threads.emplace_back(emptier);
    else
      threads.emplace_back(reader, i);
  }
  for (std::thread& thread : threads) thread.join();
}
