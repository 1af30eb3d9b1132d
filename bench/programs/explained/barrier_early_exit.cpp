// A worker that sees the error flag leaves, and the others wait for it at the barrier.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: barrier.*(2|3|two|three|leav|without|every)
#include <pthread.h>

#include <atomic>
#include <thread>

static pthread_barrier_t step;
static std::atomic<bool> error{false};

static void worker(int id) {
  if (error.load()) return;  // BUG
  if (id == 2) error.store(true);
  pthread_barrier_wait(&step);  // FIX
}

int main() {
  pthread_barrier_init(&step, nullptr, 3);
  std::thread a(worker, 0), b(worker, 1), c(worker, 2);
  a.join();
  b.join();
  c.join();
}
