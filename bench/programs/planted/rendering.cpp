// A picture of spheres, ray by ray; threads take tiles from queues of their own and steal from others.
#include <cmath>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "places.h"

namespace {

constexpr int kThreads = 6, kSide = 48, kTile = 8, kSpheres = 12;
struct Vector {
  float x, y, z;
};
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
float dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
struct Sphere {
  Vector centre;
  float radius;
  float shade;
};
Sphere spheres[kSpheres];
float picture[kSide][kSide];
struct Queue {
  std::mutex lock;
  std::deque<int> tiles;
} queues[kThreads];
std::mutex done_lock;
int tiles_done, rays_cast;

float trace(const Vector& from, const Vector& to, int depth) {
  float nearest = 1e9f, shade = 0;
  for (const Sphere& s : spheres) {
    const Vector way = s.centre - from;
    const float along = dot(way, to);
    const float off = dot(way, way) - along * along;
    if (along < 0 || off > s.radius * s.radius) continue;
    const float at = along - std::sqrt(s.radius * s.radius - off);
    if (at > 0.01f && at < nearest) nearest = at, shade = s.shade;
  }
  if (nearest > 1e8f) return 0.1f;
  if (depth == 2) PLACE(0);
  if (depth == 2) return shade;
  const Vector hit{from.x + to.x * nearest, from.y + to.y * nearest, from.z + to.z * nearest};
  return 0.7f * shade + 0.3f * trace(hit, {-to.x, to.y, -to.z}, depth + 1);
}

void render(int tile) {
  PLACE(1);
  const int per_row = kSide / kTile;
  const int y0 = tile / per_row * kTile, x0 = tile % per_row * kTile;
  for (int y = y0; y < y0 + kTile; ++y) {
    PLACE(2);
    for (int x = x0; x < x0 + kTile; ++x) {
      const float u = (static_cast<float>(x) - kSide / 2) / kSide, v = (static_cast<float>(y) - kSide / 2) / kSide;
      const float length = std::sqrt(u * u + v * v + 1);
      picture[y][x] = trace({0, 0, -10}, {u / length, v / length, 1 / length}, 0);
      if (x % 4 == 3) PLACE(3);
    }
  }
  PLACE(4);
}

int take(int me) {
  for (int i = 0; i < kThreads; ++i) {
    Queue& queue = queues[(me + i) % kThreads];
    const std::lock_guard<std::mutex> guard(queue.lock);
    if (queue.tiles.empty()) continue;
    if (i > 0) PLACE(5);
    const int tile = i == 0 ? queue.tiles.back() : queue.tiles.front();
    if (i == 0) {
      queue.tiles.pop_back();
    } else {
      queue.tiles.pop_front();
    }
    PLACE(6);
    return tile;
  }
  return -1;
}

void work(int me) {
  PLACE(7);
  int own = 0;
  for (int tile = take(me); tile >= 0; tile = take(me)) {
    PLACE(8);
    render(tile);
    ++own;
  }
  PLACE(9);
  const std::lock_guard<std::mutex> guard(done_lock);
  tiles_done += own;
  rays_cast += own * kTile * kTile;
  PLACE(10);
}

}  // namespace

int main() {
  for (int i = 0; i < kSpheres; ++i)
    spheres[i] = {{static_cast<float>(i % 4) - 1.5f, static_cast<float>(i / 4) - 1, static_cast<float>(i % 3)},
                  0.6f,
                  static_cast<float>(i) / kSpheres};
  const int tiles = kSide / kTile * (kSide / kTile);
  for (int i = 0; i < tiles; ++i) queues[i % 3].tiles.push_back(i);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(work, i);
    PLACE(11);
  }
  for (std::thread& t : threads) t.join();
  return tiles_done == tiles && rays_cast == kSide * kSide ? 0 : 1;
}
