// Particles in cells that push each other: densities and forces are added to neighbouring cells under a lock for each cell, barriers between phases.
#include <mutex>
#include <thread>
#include <vector>

#include "places.h"

namespace {

constexpr int kThreads = 8, kSide = 16, kCells = kSide * kSide, kPer = 3, kFrames = 3;
struct Cell {
  float x[kPer], v[kPer], density[kPer], force[kPer];
  std::mutex lock;
};
Cell cells[kCells];
pthread_barrier_t barrier;
int moved;
std::mutex moved_lock;

template <class F>
void each_neighbour(int cell, F&& with) {
  const int x = cell % kSide, y = cell / kSide;
  if (x + 1 < kSide) with(cell + 1);
  if (y + 1 < kSide) with(cell + kSide);
}

void interact(int from, int to, bool forces) {
  Cell& a = cells[from];
  Cell& b = cells[to];
  for (int i = 0; i < kPer; ++i) {
    for (int k = 0; k < kPer; ++k) {
      const float d = a.x[i] - b.x[k];
      const float near = 1 / (1 + d * d);
      if (near < 0.2f) continue;
      {
        const std::lock_guard<std::mutex> guard(a.lock);
        (forces ? a.force : a.density)[i] += near;
      }
      const std::lock_guard<std::mutex> guard(b.lock);
      (forces ? b.force : b.density)[k] += near;
    }
  }
}

void frame(int me) {
  PLACE(0);
  const int from = me * (kCells / kThreads), to = from + kCells / kThreads;
  for (int c = from; c < to; ++c) {
    for (int i = 0; i < kPer; ++i) cells[c].density[i] = cells[c].force[i] = 0;
    if (c % 4 == 0) PLACE(1);
  }
  pthread_barrier_wait(&barrier);
  PLACE(2);
  for (int c = from; c < to; ++c) {
    each_neighbour(c, [&](int n) { interact(c, n, false); });
    PLACE(3);
  }
  PLACE(4);
  pthread_barrier_wait(&barrier);
  PLACE(5);
  for (int c = from; c < to; ++c) {
    each_neighbour(c, [&](int n) { interact(c, n, true); });
    if (c % 2 == 0) PLACE(6);
  }
  pthread_barrier_wait(&barrier);
  PLACE(7);
  int own = 0;
  for (int c = from; c < to; ++c) {
    for (int i = 0; i < kPer; ++i) {
      cells[c].v[i] += 0.01f * (cells[c].force[i] - cells[c].density[i]);
      cells[c].x[i] += cells[c].v[i];
      ++own;
    }
    if (c % 8 == 7) PLACE(8);
  }
  {
    const std::lock_guard<std::mutex> guard(moved_lock);
    moved += own;
    PLACE(9);
  }
  PLACE(10);
  pthread_barrier_wait(&barrier);
}

void work(int me) {
  PLACE(11);
  for (int i = 0; i < kFrames; ++i) frame(me);
  PLACE(12);
}

}  // namespace

int main() {
  for (int c = 0; c < kCells; ++c) {
    for (int i = 0; i < kPer; ++i) cells[c].x[i] = static_cast<float>((c * 13 + i * 7) % 29) / 10;
  }
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& t : threads) t.join();
  return moved == kFrames * kCells * kPer ? 0 : 1;
}
