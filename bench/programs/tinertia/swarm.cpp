// A parallel radix sort by four workers on a small library of barriers and reductions. The reduction
// adds a worker's share to the common histogram in two steps, load and store, in the last pass, where
// the shares are small; a share can be lost, and the keys would be placed by a histogram that is short.
// Stands for: row "swarm" of Tinertia Tables 1-3 (assertion, 5 threads; Inspect suite); fails only when memory
// accesses are scheduling points.
// Ours differs: written anew; 8 keys of ten bits, two bits a pass; the order and the sum of the keys are checked.
// heddle-kernel: family=swarm kind=assert granularity=access optimum=1 class=race paper=tinertia row=swarm
#include <pthread.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>

namespace {

constexpr std::size_t kWorkers = 4;
constexpr std::size_t kKeys = 8;
constexpr std::size_t kDigits = 4;
constexpr int kPasses = 5;

class Barrier {
 public:
  void wait() {
    pthread_mutex_lock(&lock_);
    int mine = round_;
    if (++arrived_ == kWorkers) {
      arrived_ = 0;
      round_++;
      pthread_cond_broadcast(&released_);
    }
    while (mine == round_) pthread_cond_wait(&released_, &lock_);
    pthread_mutex_unlock(&lock_);
  }

 private:
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t released_ = PTHREAD_COND_INITIALIZER;
  std::size_t arrived_ = 0;
  int round_ = 0;
};

Barrier barrier;
std::array<unsigned, kKeys> keys, sorted;
std::array<std::atomic<std::size_t>, kDigits> histogram;
std::array<std::array<std::size_t, kDigits>, kWorkers> share;

std::atomic<std::size_t> keys_moved{0};

// Adds every worker's share: one after the other where the library has not been told that the shares
// are small, all at once where it has.
void reduce_add(std::atomic<std::size_t>& total, std::size_t amount, bool small) {
#ifdef FIXED
  (void)small;
  total += amount;
#else
  if (!small) {
    total += amount;
    return;
  }
  std::size_t now = total.load();
  total.store(now + amount);  // BUG
#endif
}

std::size_t digit(unsigned key, int pass) { return key >> (2 * pass) & 3U; }

void sort_pass(std::size_t me, int pass) {
  std::size_t from = me * kKeys / kWorkers, to = (me + 1) * kKeys / kWorkers;
  share[me].fill(0);
  for (std::size_t i = from; i < to; i++) share[me][digit(keys[i], pass)]++;
  barrier.wait();
  for (std::size_t d = 0; d < kDigits; d++) reduce_add(histogram[d], share[me][d], pass == kPasses - 1);
  barrier.wait();
  // Where this worker's keys of each digit begin: after all smaller digits and after the shares of the
  // workers before it.
  std::array<std::size_t, kDigits> place{};
  std::size_t before = 0, total = 0;
  for (std::size_t d = 0; d < kDigits; d++) {
    place[d] = before;
    for (std::size_t w = 0; w < me; w++) place[d] += share[w][d];
    before += histogram[d].load();
    total += histogram[d].load();
  }
  assert(total == kKeys);
  barrier.wait();
  for (std::size_t i = from; i < to; i++) {
    sorted[place[digit(keys[i], pass)]++] = keys[i];
    keys_moved++;
  }
  barrier.wait();
  for (std::size_t i = from; i < to; i++) keys[i] = sorted[i];
  barrier.wait();
  if (me == 0)
    for (auto& h : histogram) h.store(0);
  barrier.wait();
}

void* worker(void* arg) {
  for (int pass = 0; pass < kPasses; pass++) sort_pass(*static_cast<std::size_t*>(arg), pass);
  return nullptr;
}

}  // namespace

int main() {
  unsigned sum = 0;
  for (std::size_t i = 0; i < kKeys; i++) sum += keys[i] = static_cast<unsigned>(i * 389 + 11) % 1024;
  std::array<pthread_t, kWorkers> workers;
  std::array<std::size_t, kWorkers> ids;
  for (std::size_t i = 0; i < kWorkers; i++) {
    ids[i] = i;
    pthread_create(&workers[i], nullptr, worker, &ids[i]);
  }
  for (pthread_t thread : workers) pthread_join(thread, nullptr);
  for (std::size_t i = 0; i < kKeys; i++) {
    sum -= keys[i];
    assert(i == 0 || keys[i - 1] <= keys[i]);
  }
  assert(sum == 0 && keys_moved == kPasses * kKeys);
}
