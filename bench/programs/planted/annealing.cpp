// Elements placed on a grid by simulated annealing: threads swap two at a time under the locks of both, temperature by temperature; costs are read without.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "places.h"

namespace {

constexpr int kThreads = 4, kElements = 256, kSwaps = 250, kSteps = 4, kFan = 5;
std::atomic<int> location[kElements];
int fan[kElements][kFan];
int gained[kThreads], accepted;
std::mutex locks[16], total_lock;
pthread_barrier_t barrier;

int distance(int a, int b) { return std::abs(a % 16 - b % 16) + std::abs(a / 16 - b / 16); }

int cost(int element, int at) {
  int sum = 0;
  for (int neighbour : fan[element]) sum += distance(at, location[neighbour].load(std::memory_order_relaxed));
  return sum;
}

void exchange(int a, int b) {
  std::unique_lock<std::mutex> first(locks[std::min(a % 16, b % 16)]);
  std::unique_lock<std::mutex> second;
  if (a % 16 != b % 16) second = std::unique_lock<std::mutex>(locks[std::max(a % 16, b % 16)]);
  PLACE(4);
  const int at = location[a];
  location[a] = location[b].load();
  location[b] = at;
}

void step(int me, unsigned& seed, double temperature) {
  PLACE(0);
  for (int i = 0; i < kSwaps; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const int a = static_cast<int>(seed >> 8) % kElements;
    const int b = (a + 1 + static_cast<int>(seed >> 20) % (kElements - 1)) % kElements;
    if (i % 4 == 0) PLACE(1);
    const int delta = cost(a, location[b]) + cost(b, location[a]) - cost(a, location[a]) - cost(b, location[b]);
    if (delta > 0 && std::exp(-delta / temperature) * 1024 < (seed & 1023)) {
      if (i % 8 == 0) PLACE(2);
      continue;
    }
    PLACE(3);
    exchange(a, b);
    gained[me] -= delta;
    if (i % 2 == 0) PLACE(5);
  }
  PLACE(6);
}

void anneal(int me) {
  unsigned seed = static_cast<unsigned>(me) * 77u + 1;
  PLACE(7);
  double temperature = 20;
  for (int i = 0; i < kSteps; ++i, temperature /= 2) {
    PLACE(8);
    step(me, seed, temperature);
    pthread_barrier_wait(&barrier);
    PLACE(9);
    const std::lock_guard<std::mutex> guard(total_lock);
    accepted += gained[me] > 0 ? 1 : 0;
    PLACE(10);
  }
  PLACE(11);
}

}  // namespace

int main() {
  for (int i = 0; i < kElements; ++i) {
    location[i] = i;
    for (int k = 0; k < kFan; ++k) fan[i][k] = (i * 7 + k * k * 31 + 1) % kElements;
  }
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(anneal, i);
  for (std::thread& t : threads) t.join();
  std::vector<bool> taken(kElements);
  for (const std::atomic<int>& l : location) taken[static_cast<size_t>(l)] = true;
  for (const bool is : taken) {
    if (!is) return 1;
  }
  return 0;
}
