// Points gathered round medians: a new median is tried, all threads reckon what it would save, and all switch to it or not; barriers between.
#include <thread>
#include <vector>

#include "places.h"

namespace {

constexpr int kThreads = 4, kPoints = 480, kDimensions = 6, kTries = 14, kShare = kPoints / kThreads;
float coordinates[kPoints][kDimensions], cost[kPoints];
int assigned[kPoints];
bool is_median[kPoints], switches[kPoints];
double saved[kThreads], total_saved;
int opened = 1;

// A barrier of a mutex and a condition, as PARSEC has it.
struct Barrier {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  int waiting = 0, round = 0;
  void wait() {
    pthread_mutex_lock(&mutex);
    const int mine = round;
    if (++waiting == kThreads) {
      waiting = 0;
      ++round;
      pthread_cond_broadcast(&changed);
    }
    while (round == mine) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
  }
} barrier;

float distance(int a, int b) {
  float sum = 0;
  for (int i = 0; i < kDimensions; ++i) {
    const float d = coordinates[a][i] - coordinates[b][i];
    sum += d * d;
  }
  return sum;
}

double gain(int me, int candidate) {
  PLACE(0);
  double sum = 0;
  for (int i = me * kShare; i < (me + 1) * kShare; ++i) {
    const float d = distance(i, candidate);
    switches[i] = d < cost[i];
    if (switches[i]) {
      sum += cost[i] - d;
      PLACE(1);
    }
    if (i % 8 == 0) PLACE(2);
  }
  PLACE(3);
  return sum;
}

void work(int me) {
  PLACE(4);
  for (int t = 0; t < kTries; ++t) {
    const int candidate = (t * 37 + 11) % kPoints;
    saved[me] = gain(me, candidate);
    PLACE(5);
    barrier.wait();
    if (me == 0) {
      PLACE(6);
      total_saved = -40;
      for (double s : saved) total_saved += s;
      if (total_saved > 0) is_median[candidate] = true;
      opened += total_saved > 0 ? 1 : 0;
    }
    PLACE(7);
    barrier.wait();
    if (total_saved > 0) {
      PLACE(8);
      for (int i = me * kShare; i < (me + 1) * kShare; ++i) {
        if (!switches[i]) continue;
        assigned[i] = candidate;
        cost[i] = distance(i, candidate);
        if (i % 4 == 0) PLACE(9);
      }
    }
    PLACE(10);
    barrier.wait();
    PLACE(11);
  }
}

}  // namespace

int main() {
  for (int i = 0; i < kPoints; ++i) {
    for (int k = 0; k < kDimensions; ++k)
      coordinates[i][k] = static_cast<float>((i * (k + 3) * 7919) % 97) / 10 + static_cast<float>(i % 5) * 8;
  }
  is_median[0] = true;
  for (int i = 0; i < kPoints; ++i) cost[i] = distance(i, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < kPoints; ++i) {
    if (!is_median[assigned[i]]) return 1;
  }
  return opened > 1 ? 0 : 1;
}
