// A task scheduler in the manner of small header-only ones: a queue for each thread, stealing from the others, sets of tasks that are split,
// waiting that works on other tasks, and idle threads that spin a while, counting, before they wait for a semaphore.
#include <semaphore.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

struct TaskSet {
  std::function<void(unsigned from, unsigned to)> work;
  std::atomic<int> left{0};
};

struct Part {
  TaskSet* set;
  unsigned from, to;
};

class Scheduler {
 public:
  explicit Scheduler(unsigned count) : queues_(count) {
    sem_init(&wake_, 0, 0);
    for (unsigned i = 1; i < count; ++i) threads_.emplace_back([this, i] { run(i); });
  }
  ~Scheduler() {
    ending_ = true;
    for (size_t i = 0; i < threads_.size(); ++i) sem_post(&wake_);
    for (std::thread& t : threads_) t.join();
    sem_destroy(&wake_);
  }

  void add(TaskSet* set, unsigned size, unsigned least, unsigned own = 0) {
    const unsigned parts = (size + least - 1) / least;
    set->left += static_cast<int>(parts);
    for (unsigned i = 0; i < parts; ++i) {
      const unsigned from = i * least;
      const unsigned to = from + least < size ? from + least : size;
      std::lock_guard<std::mutex> lock(queues_[own].mutex);
      queues_[own].parts.push_back({set, from, to});
    }
    if (sleeping_.load() > 0) sem_post(&wake_);
  }

  void wait(TaskSet* set, unsigned own = 0) {
    unsigned spins = 0;
    while (set->left.load() > 0) {
      if (try_one(own)) continue;
      spins_.fetch_add(1);  // a loop that spins with a side effect
      if (++spins % 100 == 0) std::this_thread::yield();
    }
  }

 private:
  struct Queue {
    std::mutex mutex;
    std::deque<Part> parts;
  };

  bool take(unsigned from, bool own, Part* out) {
    std::lock_guard<std::mutex> lock(queues_[from].mutex);
    auto& parts = queues_[from].parts;
    if (parts.empty()) return false;
    *out = own ? parts.back() : parts.front();
    own ? parts.pop_back() : parts.pop_front();
    return true;
  }

  bool try_one(unsigned own) {
    Part part{};
    bool found = take(own, true, &part);
    for (unsigned i = 1; i < queues_.size() && !found; ++i) found = take((own + i) % queues_.size(), false, &part);
    if (!found) return false;
    part.set->work(part.from, part.to);
    --part.set->left;
    return true;
  }

  void run(unsigned own) {
    unsigned idle = 0;
    while (!ending_.load()) {
      if (try_one(own)) {
        idle = 0;
        continue;
      }
      spins_.fetch_add(1);
      if (++idle < 10) continue;
      ++sleeping_;
      sem_wait(&wake_);
      --sleeping_;
      idle = 0;
      if (!ending_ && sleeping_.load() > 0) sem_post(&wake_);  // whoever wakes wakes the next
    }
  }

  std::vector<Queue> queues_;
  std::vector<std::thread> threads_;
  sem_t wake_;
  std::atomic<int> sleeping_{0};
  std::atomic<long> spins_{0};
  std::atomic<bool> ending_{false};
};

int main() {
  Scheduler scheduler(4);
  for (int round = 0; round < 3; ++round) {
    std::vector<int> seen(200);
    TaskSet fill;
    fill.work = [&](unsigned from, unsigned to) {
      for (unsigned i = from; i < to; ++i) ++seen[i];
    };
    scheduler.add(&fill, 200, 7);
    scheduler.wait(&fill);
    for (int times : seen) {
      if (times == 1) continue;
      std::fprintf(stderr, "wrong: a part ran %d times\n", times);
      return 1;
    }
    std::atomic<int> sum{0};
    TaskSet inner;
    inner.work = [&](unsigned from, unsigned to) { sum += static_cast<int>(to - from); };
    TaskSet outer;
    outer.work = [&](unsigned, unsigned) { scheduler.add(&inner, 10, 3); };
    scheduler.add(&outer, 8, 1);
    scheduler.wait(&outer);
    scheduler.wait(&inner);
    if (sum != 80) {
      std::fprintf(stderr, "wrong: %d, not 80\n", sum.load());
      return 1;
    }
  }
  std::puts("right");
}
