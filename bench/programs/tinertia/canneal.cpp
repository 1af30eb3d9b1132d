// Simulated annealing of a placement: twelve workers swap elements of a small netlist at falling
// temperatures and meet between the steps. A worker counts its arrival, then counts itself as asleep and
// sleeps; the last to arrive wakes as many as are counted asleep, and misses one that is in between.
// Stands for: row "canneal" of Tinertia Tables 1-3 (deadlock, 13 threads; PARSEC).
// Ours differs: written anew; deterministic moves; the routing cost is recomputed and checked at the end.
// heddle-kernel: family=canneal kind=deadlock granularity=access class=lost-wakeup paper=tinertia row=canneal
#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace {

constexpr int kWorkers = 12;
constexpr int kElements = 2 * kWorkers;
constexpr int kSteps = 2;

struct Place {
  int x, y;
};

std::array<Place, kElements> place;
std::array<int, kElements> wired_to;

int wire_length(int element) {
  const Place& a = place[static_cast<std::size_t>(element)];
  const Place& b = place[static_cast<std::size_t>(wired_to[static_cast<std::size_t>(element)])];
  return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

// The meeting point of the workers between two temperatures.
sem_t next_step;
std::atomic<int> arrived{0}, asleep{0}, accepted{0};

void meet() {
  if (++arrived == kWorkers) {
#ifdef FIXED
    int sleepers = kWorkers - 1;
#else
    int sleepers = asleep.exchange(0);  // BUG
#endif
    for (int i = 0; i < sleepers; i++) sem_post(&next_step);
    return;
  }
  asleep++;
  sem_wait(&next_step);
}

// Each worker owns two neighbouring elements, so swaps need no lock; the wires it looks at belong to
// the worker itself.
void* anneal(void* arg) {
  int first = 2 * *static_cast<int*>(arg), second = first + 1;
  double temperature = 8;
  for (int step = 0; step < kSteps; step++) {
    int before = wire_length(first) + wire_length(second);
    std::swap(place[static_cast<std::size_t>(first)], place[static_cast<std::size_t>(second)]);
    int after = wire_length(first) + wire_length(second);
    bool accept = after <= before || std::exp((before - after) / temperature) > 0.5;
    if (accept)
      accepted++;
    else
      std::swap(place[static_cast<std::size_t>(first)], place[static_cast<std::size_t>(second)]);
    temperature /= 2;
    if (step + 1 < kSteps) meet();
  }
  return nullptr;
}

}  // namespace

int main() {
  sem_init(&next_step, 0, 0);
  for (int i = 0; i < kElements; i++) {
    place[static_cast<std::size_t>(i)] = {i * 7 % 5, i * 3 % 4};
    wired_to[static_cast<std::size_t>(i)] = i ^ 1;
  }
  int cost = 0;
  for (int i = 0; i < kElements; i++) cost += wire_length(i);
  std::array<pthread_t, kWorkers> workers;
  std::array<int, kWorkers> ids;
  for (std::size_t i = 0; i < kWorkers; i++) {
    ids[i] = static_cast<int>(i);
    pthread_create(&workers[i], nullptr, anneal, &ids[i]);
  }
  for (pthread_t worker : workers) pthread_join(worker, nullptr);
  int now = 0;
  for (int i = 0; i < kElements; i++) now += wire_length(i);
  assert(accepted == kSteps * kWorkers);  // such a swap never lengthens a wire
  assert(now == cost);                    // a pair of elements wired to one another keeps its length under a swap
}
