// On-line clustering: eight workers open centres for a stream of points, in rounds separated by
// barriers. Before the last round worker 0 sets up the table of open centres; the barrier after it is
// missing, and worker 1, which looks at its neighbour's part of the table at once, may find none.
// Stands for: row "streamcluster" of Tinertia Tables 1-3 (segmentation fault, 9 threads, no preemption needed; PARSEC).
// Ours differs: written anew; points on a line; the cost is checked against a sequential computation.
// heddle-kernel: family=streamcluster kind=signal granularity=sync optimum=0 class=order paper=tinertia row=streamcluster
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <memory>

namespace {

constexpr int kWorkers = 8;
constexpr int kPoints = 64;
constexpr int kRounds = 18;

// As in PARSEC, a barrier that spins; it yields while it does.
class Barrier {
 public:
  void wait() {
    int mine = round_.load();
    if (++arrived_ == kWorkers) {
      arrived_ = 0;
      round_++;
    }
    while (mine == round_.load()) sched_yield();
  }

 private:
  std::atomic<int> arrived_{0}, round_{0};
};

Barrier barrier;
std::array<int, kPoints> points;
std::array<long, kPoints> distance;  // to the nearest open centre
std::array<long, kWorkers> part_cost;
pthread_mutex_t gain_lock = PTHREAD_MUTEX_INITIALIZER;
std::array<long, kRounds> gain;

struct Centres {
  std::array<int, kRounds> at;
  int count = 0;
};
std::unique_ptr<Centres> storage;
std::atomic<Centres*> centres{nullptr};
std::array<int, kRounds> opened;
int opened_count = 0;

int candidate(int round) { return points[static_cast<std::size_t>(round * 5 % kPoints)]; }

// One round: every worker computes what a new centre would gain on its share of the points.
void consider(int me, int round) {
  int centre = candidate(round);
  long mine = 0;
  for (std::size_t i = static_cast<std::size_t>(me); i < kPoints; i += kWorkers)
    mine += std::max(0L, distance[i] - std::abs(points[i] - centre));
  pthread_mutex_lock(&gain_lock);
  gain[static_cast<std::size_t>(round)] += mine;
  pthread_mutex_unlock(&gain_lock);
  barrier.wait();
  if (gain[static_cast<std::size_t>(round)] > 20) {
    for (std::size_t i = static_cast<std::size_t>(me); i < kPoints; i += kWorkers)
      distance[i] = std::min<long>(distance[i], std::abs(points[i] - centre));
    if (me == 0) opened[static_cast<std::size_t>(opened_count++)] = centre;
  }
  barrier.wait();
}

void* worker(void* arg) {
  int me = *static_cast<int*>(arg);
  for (int round = 0; round < kRounds; round++) consider(me, round);
  if (me == 0) {
    storage = std::make_unique<Centres>();
    storage->count = opened_count;
    std::copy_n(opened.begin(), opened_count, storage->at.begin());
    centres.store(storage.get());
  }
#ifdef FIXED
  barrier.wait();
#endif
  if (me == 1 && centres.load()->count == 0) return nullptr;  // BUG
#ifndef FIXED
  barrier.wait();
#endif
  const Centres* table = centres.load();
  long cost = 0;
  for (std::size_t i = static_cast<std::size_t>(me); i < kPoints; i += kWorkers) {
    long best = 1000;
    for (int c = 0; c < table->count; c++) best = std::min<long>(best, std::abs(points[i] - table->at[static_cast<std::size_t>(c)]));
    cost += best;
  }
  part_cost[static_cast<std::size_t>(me)] = cost;
  return nullptr;
}

}  // namespace

int main() {
  for (int i = 0; i < kPoints; i++) points[static_cast<std::size_t>(i)] = i * 37 % 101;
  distance.fill(1000);
  std::array<pthread_t, kWorkers> workers;
  std::array<int, kWorkers> ids;
  for (std::size_t i = 0; i < kWorkers; i++) {
    ids[i] = static_cast<int>(i);
    pthread_create(&workers[i], nullptr, worker, &ids[i]);
  }
  for (pthread_t thread : workers) pthread_join(thread, nullptr);
  long cost = 0, expected = 0;
  for (long c : part_cost) cost += c;
  for (long d : distance) expected += d;
  assert(cost == expected);
}
